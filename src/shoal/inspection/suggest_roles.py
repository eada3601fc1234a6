"""Suggested roles of columns, by name, type and values."""

from dataclasses import dataclass

from shoal.frame.column_names import words_of

IDENTIFIER_WORDS = {
    "id", "identifier", "name", "surname", "firstname", "lastname", "ssn", "passport", "email",
    "mail", "phone", "telephone", "mobile", "address", "street", "iban", "account", "company",
    "person", "patient", "respondent", "licence", "license", "nif", "siren", "uuid", "key",
    "idcode", "pid", "uid",
}  # fmt: skip
QUASI_IDENTIFIER_WORDS = {
    "age", "sex", "gender", "birth", "birthday", "dob", "zip", "zipcode", "postcode", "postal",
    "region", "state", "county", "province", "municipality", "city", "town", "country", "district",
    "education", "educ", "schooling", "occupation", "job", "profession", "industry", "sector",
    "marital", "married", "ethnic",
    "nationality", "citizenship", "ethnicity", "race", "language", "children", "household", "size",
    "height", "weight", "surface", "employees", "date", "year", "month", "admission",
}  # fmt: skip
CONFIDENTIAL_WORDS = {
    "income", "salary", "wage", "wages", "earnings", "pay", "tax", "debt", "wealth", "assets",
    "benefit",
    "turnover", "profit", "revenue", "sales", "diagnosis", "disease", "illness", "health", "icd",
    "drug", "medication", "treatment", "test", "result", "hiv", "bmi", "pressure", "cholesterol",
    "glucose", "religion", "party", "vote", "union", "orientation", "conviction", "crime", "score",
    "smoker", "smoking", "alcohol", "disability",
}  # fmt: skip
WEIGHT_WORDS = {
    "weights", "wt", "pweight", "fweight", "hweight", "perwt", "hhwt",
}  # fmt: skip
SURVEY_WORDS = {
    "survey", "sample", "sampling", "design", "final", "person", "household", "hh", "calibrated",
    "calibration", "grossing", "base", "expansion",
}  # fmt: skip
HOUSEHOLD_WORDS = {"hh", "household", "family", "dwelling"}
NUMBER_WORDS = {"id", "identifier", "no", "nr", "num", "number", "key", "serial"}
PERSON_WORDS = {
    "id", "idcode", "pid", "uid", "identifier", "person", "patient", "subject", "respondent",
    "worker", "student", "customer", "firm", "company",
}  # fmt: skip
CODED_WORDS = {
    "sex", "gender", "zip", "zipcode", "postcode", "region", "state", "county", "province",
    "municipality", "city", "town", "country", "district", "occupation", "job", "industry",
    "sector", "marital", "nationality", "citizenship", "ethnicity", "race", "language",
}  # fmt: skip
COUNT_WORDS = {"size", "population", "count", "number", "share", "rate", "lines", "length"}
ROW_WORDS = {"row", "rowname", "rownames", "rownum", "rownumber", "rowid", "rowno", "unnamed"}
NO_ROLE = "no role suggested: could an attacker know it?"

MAX_RECORDS_PER_PERSON = 100  # on average; a column with more does not identify persons
MOSTLY_UNIQUE = 0.5  # share of unique texts above which a column of text names records
SHORT_TABLE = 20  # records of a table in which most texts are unique by chance
MAX_CODES = 50  # distinct values of a column named a code that are taken as categories
MIN_UNIQUE = 0.2  # share of unique values above which a column alone is quasi-identifying


@dataclass(frozen=True)
class RoleFacts:
    """Facts about a column that determine its suggested role.

    Parameters
    ----------
    name : str
        Name of the column.
    type : str
        ``"whole"``, ``"number"``, ``"date"``, ``"yes/no"`` or ``"text"``.
    records : int
        Number of records.
    distinct : int
        Number of distinct values.
    unique : float
        Share of the records with a unique value.
    is_sequence : bool
        Whether the values are consecutive whole numbers.
    is_positive : bool
        Whether all values are numbers above 0.
    missing : int
        Number of missing values.
    is_ascending : bool
        Whether the values are different whole numbers that rise from record to record, with few
        exceptions.
    is_whole : bool
        Whether all values are whole numbers, of whatever type.
    """

    name: str
    type: str
    records: int
    distinct: int
    unique: float
    is_sequence: bool
    is_positive: bool
    missing: int = 0
    is_ascending: bool = False
    is_whole: bool = False

    @property
    def words(self) -> set[str]:
        """Words in the name of the column."""
        return words_of(self.name)


def suggest_role(facts: RoleFacts) -> tuple[str | None, str]:
    """Return a suggested role, or None, and the reason."""
    if facts.distinct <= 1:
        return "non-confidential", "every value is the same"
    return (
        _suggest_survey_role(facts)
        or _suggest_unit(facts)
        or _suggest_identifier(facts)
        or _suggest_by_name(facts)
        or _suggest_counter(facts)
        or (None, NO_ROLE)
    )


def suggest_by_uniqueness(unique: float) -> tuple[str | None, str]:
    """Return a role, or None, and the reason, by a column's share of unique values."""
    if unique < MIN_UNIQUE:
        return None, NO_ROLE
    return "quasi-identifier", f"{100 * unique:.0f} % of the records have a unique value"


def code_word(facts: RoleFacts) -> str | None:
    """Return the word in a column's name that marks its numbers as codes, or None."""
    matching_words = facts.words & CODED_WORDS
    if not matching_words and facts.distinct <= min(MAX_CODES, facts.records // 2):
        matching_words = {word for word in facts.words if word.endswith("code")}
    is_code = facts.is_whole and matching_words and not facts.words & COUNT_WORDS
    return min(matching_words) if is_code else None


def _suggest_survey_role(facts: RoleFacts) -> tuple[str, str] | None:
    """Suggest the role of survey weights or of household numbers, or None for other columns."""
    words = facts.words
    matching_words = {word for word in words if word in WEIGHT_WORDS or word.endswith("wgt")}
    matching_words = matching_words or ("weight" in words and words & SURVEY_WORDS) or set()
    if matching_words and facts.is_positive:
        why = f"its name suggests it ({min(matching_words)}), and it is above 0 throughout"
        return "weight", why
    is_household = (
        words & {"hhid", "hid"}
        or (words & HOUSEHOLD_WORDS and words & NUMBER_WORDS)
        or words == {"hh"}
    )
    if is_household and 1 < facts.distinct < facts.records:
        records_per_value = facts.records / facts.distinct
        return (
            "household",
            f"its name suggests it, and {records_per_value:.1f} records share a value",
        )
    return None


def _suggest_unit(facts: RoleFacts) -> tuple[str, str] | None:
    """Suggest the role of a column that identifies persons with several records each, or None."""
    matching_words = facts.words & PERSON_WORDS
    other_words = facts.words & (CODED_WORDS | QUASI_IDENTIFIER_WORDS | CONFIDENTIAL_WORDS)
    may_identify = facts.type in ("whole", "text")
    has_repeats = 1 < facts.distinct < facts.records - facts.missing
    if not matching_words or other_words or not may_identify or not has_repeats:
        return None
    records_per_value = facts.records / facts.distinct
    if records_per_value > MAX_RECORDS_PER_PERSON:
        return None
    word = min(matching_words)
    why = f"its name suggests it ({word}), and {records_per_value:.1f} records share a value"
    return "unit", why


def _suggest_identifier(facts: RoleFacts) -> tuple[str, str] | None:
    """Suggest the role of a column that identifies records or persons, or None."""
    matching_words = facts.words & IDENTIFIER_WORDS
    if matching_words and (facts.unique > 0.5 or facts.type == "text"):
        return "identifier", f"its name suggests it ({min(matching_words)})"
    if facts.unique == 1.0 and facts.type == "text":
        return "identifier", "text, and every value occurs once"
    if facts.type == "text" and facts.unique > MOSTLY_UNIQUE and facts.records > SHORT_TABLE:
        return "identifier", f"text that names {100 * facts.unique:.0f} % of the records"
    if facts.unique == 1.0 and facts.is_sequence:
        return "identifier", "whole numbers that count the records"
    if facts.unique == 1.0 and facts.is_whole and facts.words & ROW_WORDS:
        return "identifier", f"its name suggests a row number ({min(facts.words & ROW_WORDS)})"
    return None


def _suggest_counter(facts: RoleFacts) -> tuple[str, str] | None:
    """Suggest dropping numbers that rise from record to record, such as register numbers."""
    if facts.is_ascending and facts.records > SHORT_TABLE:
        return "identifier", "different whole numbers in the order of the records"
    return None


def _suggest_by_name(facts: RoleFacts) -> tuple[str, str] | None:
    """Suggest the role that words in the name of a column stand for, or None if none does."""
    confidential_words = facts.words & CONFIDENTIAL_WORDS
    quasi_identifier_words = facts.words & QUASI_IDENTIFIER_WORDS
    if confidential_words:
        return "confidential", f"its name suggests it ({min(confidential_words)})"
    if quasi_identifier_words:
        caveat = (
            "; the role is weight if it is a survey weight"
            if quasi_identifier_words == {"weight"}
            else ""
        )
        return "quasi-identifier", f"its name suggests it ({min(quasi_identifier_words)}){caveat}"
    return None
