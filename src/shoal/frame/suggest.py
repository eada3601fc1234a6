"""Which role a column may have, and why: by its name, its type and its values."""

import re
from dataclasses import dataclass

IDENTIFIER = {
    "id", "identifier", "name", "surname", "firstname", "lastname", "ssn", "passport", "email",
    "mail", "phone", "telephone", "mobile", "address", "street", "iban", "account", "company",
    "person", "patient", "respondent", "licence", "license", "nif", "siren", "uuid", "key",
    "idcode", "pid", "uid",
}  # fmt: skip
QUASI_IDENTIFIER = {
    "age", "sex", "gender", "birth", "birthday", "dob", "zip", "zipcode", "postcode", "postal",
    "region", "state", "county", "province", "municipality", "city", "town", "country", "district",
    "education", "schooling", "occupation", "job", "profession", "industry", "sector", "marital",
    "nationality", "citizenship", "ethnicity", "race", "language", "children", "household", "size",
    "height", "weight", "surface", "employees", "date", "year", "month", "admission",
}  # fmt: skip
CONFIDENTIAL = {
    "income", "salary", "wage", "earnings", "pay", "tax", "debt", "wealth", "assets", "benefit",
    "turnover", "profit", "revenue", "sales", "diagnosis", "disease", "illness", "health", "icd",
    "drug", "medication", "treatment", "test", "result", "hiv", "bmi", "pressure", "cholesterol",
    "glucose", "religion", "party", "vote", "union", "orientation", "conviction", "crime", "score",
    "smoker", "smoking", "alcohol", "disability",
}  # fmt: skip
WEIGHT = {
    "weights", "wt", "pweight", "fweight", "hweight", "perwt", "hhwt",
}  # fmt: skip
OF_A_SURVEY = {
    "survey", "sample", "sampling", "design", "final", "person", "household", "hh", "calibrated",
    "calibration", "grossing", "base", "expansion",
}  # fmt: skip
HOUSEHOLD = {"hh", "household", "family", "dwelling"}
NUMBER = {"id", "identifier", "no", "nr", "num", "number", "key", "serial"}
OF_PERSONS = {
    "id", "idcode", "pid", "uid", "identifier", "person", "patient", "subject", "respondent",
    "worker", "student", "customer", "firm", "company",
}  # fmt: skip
CODED = {
    "sex", "gender", "zip", "zipcode", "postcode", "region", "state", "county", "province",
    "municipality", "city", "town", "country", "district", "occupation", "job", "industry",
    "sector", "marital", "nationality", "citizenship", "ethnicity", "race", "language",
}  # fmt: skip

REPEATED = 100  # records that share an identifier on average, at most; more are no person's
TELLING = 0.2  # share of unique values from which a column points at persons by itself


@dataclass(frozen=True)
class Facts:
    """What is known about a column.

    Parameters
    ----------
    name : str
        Its name.
    kind : str
        ``"whole"``, ``"number"``, ``"date"``, ``"yes/no"`` or ``"text"``.
    records : int
        Number of records.
    distinct : int
        Number of different values.
    alone : float
        Share of the records that are alone with their value.
    counts_up : bool
        Whether it holds whole numbers without gaps.
    positive : bool
        Whether it holds numbers above 0 throughout.
    missing : int
        Number of missing values.
    """

    name: str
    kind: str
    records: int
    distinct: int
    alone: float
    counts_up: bool
    positive: bool
    missing: int = 0

    @property
    def words(self) -> set[str]:
        """The words of its name."""
        parted = re.sub(r"([a-z])([A-Z])", r"\1 \2", self.name).lower()
        return set(re.findall(r"[a-z]+", parted))


def suggest(facts: Facts) -> tuple[str | None, str]:
    """Return a role and the reason for it; None where nothing speaks for one."""
    if facts.distinct <= 1:
        return "non-confidential", "every value is the same"
    return (
        _of_a_survey(facts)
        or _of_persons(facts)
        or _naming(facts)
        or _by_name(facts)
        or (None, "nothing speaks for a role: could somebody know it?")
    )


def suggest_kind(facts: Facts) -> str:
    """Return the kind to declare, where the table does not say it or numbers are codes."""
    coded = facts.kind == "whole" and bool(facts.words & CODED)
    return "nominal" if coded or facts.kind == "text" else ""


def _of_a_survey(facts: Facts) -> tuple[str, str] | None:
    words = facts.words
    named = {word for word in words if word in WEIGHT or word.endswith("wgt")}
    named = named or ("weight" in words and words & OF_A_SURVEY) or set()
    if named and facts.positive:
        return "weight", f"its name says so ({min(named)}), and it is above 0 throughout"
    one = words & {"hhid", "hid"} or (words & HOUSEHOLD and words & NUMBER) or words == {"hh"}
    if one and 1 < facts.distinct < facts.records:
        size = facts.records / facts.distinct
        return "household", f"its name says so, and {size:.1f} records share a value"
    return None


def _of_persons(facts: Facts) -> tuple[str, str] | None:
    """Return the role of a column of persons who have several records each."""
    named = facts.words & OF_PERSONS
    other = facts.words & (CODED | QUASI_IDENTIFIER | CONFIDENTIAL)
    number = facts.kind in ("whole", "text")
    if not named or other or not number or not 1 < facts.distinct < facts.records - facts.missing:
        return None
    size = facts.records / facts.distinct
    if size > REPEATED:
        return None
    return "unit", f"its name says so ({min(named)}), and {size:.1f} records share a value"


def _naming(facts: Facts) -> tuple[str, str] | None:
    """Return the role of a column that names persons."""
    named = facts.words & IDENTIFIER
    if named and (facts.alone > 0.5 or facts.kind == "text"):
        return "identifier", f"its name says so ({min(named)})"
    if facts.alone == 1.0 and facts.kind == "text":
        return "identifier", "text, and every value occurs once"
    if facts.alone == 1.0 and facts.counts_up:
        return "identifier", "whole numbers that count the records"
    return None


def _by_name(facts: Facts) -> tuple[str, str] | None:
    secret, known = facts.words & CONFIDENTIAL, facts.words & QUASI_IDENTIFIER
    if secret:
        return "confidential", f"its name says so ({min(secret)})"
    if known:
        doubt = "; the role is weight if it is one of a survey" if known == {"weight"} else ""
        return "quasi-identifier", f"its name says so ({min(known)}){doubt}"
    if facts.alone >= TELLING:
        alone = f"{100 * facts.alone:.0f}% of the records are alone with their value"
        return "quasi-identifier", alone
    return None
