"""What may be said about a release: a status, the attained k, and the findings behind it."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

Severity = Literal["breaks", "qualifies", "informs"]
Status = Literal["kept", "qualified", "not kept"]
RECORDS = "record"  # the unit of protection where no column names another


@dataclass(frozen=True)
class Finding:
    """One thing that was measured on a release and bears on its protection.

    Parameters
    ----------
    code : str
        Stable name, like ``"unique-on-unchanged-columns"``.
    severity : str
        ``"breaks"`` the guarantee, ``"qualifies"`` it, or merely ``"informs"``.
    sentence : str
        The finding in one or two sentences; it holds no value of the data.
    figures : dict
        The numbers in the sentence, by name; plain data.
    columns : tuple of str
        The columns it speaks of.
    """

    code: str
    severity: Severity
    sentence: str
    figures: Mapping[str, Any] = field(default_factory=dict)
    columns: tuple[str, ...] = ()


@dataclass(frozen=True)
class Verdict:
    """What may be said about a release, counted on the released values.

    Parameters
    ----------
    promised : int or None
        The k that the plan promises; None where it promises none.
    k : int
        Size of the smallest class of the columns an attacker may know, counted in units.
    unit : str
        ``"record"``, or the column whose values are counted.
    findings : tuple of Finding
        What breaks, qualifies or explains the guarantee; the gravest first.
    """

    promised: int | None
    k: int
    unit: str = RECORDS
    findings: tuple[Finding, ...] = ()

    @property
    def status(self) -> Status:
        """``"kept"``, ``"qualified"`` or ``"not kept"``: the gravest finding decides."""
        severities = {finding.severity for finding in self.findings}
        if "breaks" in severities:
            return "not kept"
        return "qualified" if "qualifies" in severities else "kept"

    @property
    def sentence(self) -> str:
        """The verdict in one sentence, the same in every interface."""
        attained = counted(self.k, self.unit)
        if self.promised is None:
            return f"No k-anonymity is promised; the smallest class holds {attained}."
        if self.status == "not kept":
            return f"k = {self.promised} is not kept: the smallest class holds {attained}."
        if self.status == "qualified":
            number = len(self.of("qualifies"))
            reservations = "1 reservation" if number == 1 else f"{number} reservations"
            return (
                f"k = {self.promised} is kept, with {reservations}: the smallest class holds"
                f" {attained}."
            )
        return f"k = {self.promised} is kept: the smallest class holds {attained}."

    def of(self, severity: Severity) -> list[Finding]:
        """Return the findings of one severity."""
        return [finding for finding in self.findings if finding.severity == severity]

    def codes(self) -> list[str]:
        """Return the codes of all findings, in order."""
        return [finding.code for finding in self.findings]

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as plain data."""
        return {
            "status": self.status,
            "sentence": self.sentence,
            "promised": self.promised,
            "k": self.k,
            "unit": self.unit,
            "findings": [asdict(finding) for finding in self.findings],
        }


def make_verdict(promised: int | None, k: int, unit: str, findings: Sequence[Finding]) -> Verdict:
    """Return a verdict with the gravest findings first, otherwise in the order given."""
    order = ("breaks", "qualifies", "informs")
    ranked = sorted(findings, key=lambda finding: order.index(finding.severity))
    return Verdict(promised, k, unit, tuple(ranked))


def counted(number: int, unit: str = RECORDS) -> str:
    """Return a number of units in words, like ``5 records`` or ``3 units of 'person'``."""
    if unit == RECORDS:
        return f"{number} record{'' if number == 1 else 's'}"
    return f"{number} unit{'' if number == 1 else 's'} of {unit!r}"
