"""The classes `Verdict` and `Finding`: status, attained k and findings of a release."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from shoal._text import count
from shoal.errors import ShoalWarning, Wording, python_wording
from shoal.frame.roles import RECORD_UNIT

# The codes of findings on which the sentence of a verdict depends.
MATCH_ANY = "missing-cells-match-any"
UNITS_NOT_COUNTED = "units-not-counted"
LIMIT_BROKEN = "limit-broken"
UNIQUE_RECORDS = "unique-on-unchanged-columns"
CONFIDENTIAL_KEY = "confidential-key"

# Clauses of that sentence if columns other than the quasi-identifiers make records unique.
ON_QUASI_IDENTIFIERS = " on the quasi-identifiers only"
UNIQUE_VALUES = ", and confidential values single some records out"

Severity = Literal["breaks", "qualifies", "informs"]
Status = Literal["kept", "qualified", "not kept"]


@dataclass(frozen=True)
class Finding:
    """A fact about the protection or the quality of a release, computed from the release.

    Parameters
    ----------
    code : str
        Stable name, like ``"unique-on-unchanged-columns"``.
    severity : str
        ``"breaks"`` the guarantee, ``"qualifies"`` it, or merely ``"informs"``.
    sentence : str
        The finding in one or two sentences, without values of the data.
    figures : dict
        The numbers in the sentence, by name; plain data.
    columns : tuple of str
        The columns concerned.
    way_out : str
        What to do about it, for those who make the release; options are in backquotes, as in the
        messages of `shoal.errors`. Public reports omit it.
    """

    code: str
    severity: Severity
    sentence: str
    figures: Mapping[str, Any] = field(default_factory=dict)
    columns: tuple[str, ...] = ()
    way_out: str = ""

    def advice(self, wording: Wording = python_wording) -> str:
        """Return the way out, if there is one, with options as an interface writes them."""
        return ShoalWarning(self.way_out).message_for(wording)

    def with_advice(self, wording: Wording = python_wording) -> str:
        """Return the sentence and the way out, with options as an interface writes them."""
        return f"{self.sentence} {self.advice(wording)}".rstrip()


@dataclass(frozen=True)
class Verdict:
    """The verdict on a release, counted on the released values.

    Parameters
    ----------
    promised : int or None
        The k that the plan guarantees, or None if it guarantees none.
    k : int
        Size of the smallest class on the quasi-identifiers, counted in units.
    unit : str
        ``"record"``, or the column whose values are counted.
    findings : tuple of Finding
        What breaks, qualifies or explains the guarantee; the most severe first.
    exact : mapping of str to float, optional
        Share of the records whose released value is the original one, by masked column; ``""`` is
        the share for all masked columns together. None if it was not measured.
    """

    promised: int | None
    k: int
    unit: str = RECORD_UNIT
    findings: tuple[Finding, ...] = ()
    exact: Mapping[str, float] | None = None

    @property
    def status(self) -> Status:
        """``"kept"``, ``"qualified"`` or ``"not kept"``: by the most severe finding."""
        severities = {finding.severity for finding in self.findings}
        if "breaks" in severities:
            return "not kept"
        return "qualified" if "qualifies" in severities else "kept"

    @property
    def sentence(self) -> str:
        """The verdict in one sentence, the same in every interface."""
        unkept_sentence = self._unkept_sentence("guarantee", "guaranteed")
        if unkept_sentence:
            return unkept_sentence
        qualifying = self.of("qualifies")
        if qualifying:
            is_narrow = UNIQUE_RECORDS in {finding.code for finding in qualifying}
            scope_clause = ON_QUASI_IDENTIFIERS if is_narrow else ""
            reservations = count(len(qualifying), "reservation")
            return (
                f"k = {self.promised} is kept{scope_clause} ({self._count_clause}),"
                f" with {reservations}."
            )
        unique_clause = UNIQUE_VALUES if CONFIDENTIAL_KEY in self.codes() else ""
        return f"k = {self.promised} is kept: {self._count_clause}{unique_clause}."

    @property
    def former_sentence(self) -> str:
        """The sentence in the words of version 0.1.0, which manifests may state."""
        unkept_sentence = self._unkept_sentence("promise", "promised")
        if unkept_sentence:
            return unkept_sentence
        n_qualifying = len(self.of("qualifies"))
        clause = f", with {count(n_qualifying, 'reservation')}" if n_qualifying else ""
        return f"k = {self.promised} is kept{clause}: {self._count_clause}."

    def _unkept_sentence(self, noun: str, participle: str) -> str:
        """Return the sentence if k is not kept, not guaranteed or not counted, or else no text.

        ``noun`` is the word for a guarantee, and ``participle`` for what is guaranteed.
        """
        breaking = self.of("breaks")
        if breaking and all(finding.code == LIMIT_BROKEN for finding in breaking):
            verb = "is" if len(breaking) == 1 else "are"
            limits = f"{count(len(breaking), 'limit')} of the plan {verb} not met"
            return f"{limits}; {self._count_clause}."
        if self.promised is None:
            return f"No k-anonymity is {participle}; {self._count_clause}."
        if self.promised == 1:
            return f"k = 1 is no guarantee: {self._count_clause}."
        if self.k < self.promised:
            return f"k = {self.promised} is not kept: {self._count_clause}."
        if breaking:
            return f"The {noun} is not kept: {breaking[0].sentence}"
        if self._uncounted_unit:
            unit = f"units of {self._uncounted_unit!r}"
            return (
                f"Whether k = {self.promised} is kept in {unit} was not checked:"
                f" {self._count_clause}."
            )
        return ""

    @property
    def _count_clause(self) -> str:
        """What was counted, as a clause."""
        number = count_phrase(self.k, self.unit)
        if MATCH_ANY in self.codes():
            return f"every record matches at least {number}, where a missing cell matches any value"
        return f"the smallest class holds {number}"

    @property
    def _uncounted_unit(self) -> str:
        """The column of the units that k counts if they were not counted, else an empty string."""
        units = [
            finding.figures["unit"]
            for finding in self.findings
            if finding.code == UNITS_NOT_COUNTED and "unit" in finding.figures
        ]
        return units[0] if units else ""

    @property
    def smallest_class(self) -> int:
        """Size of the smallest class if missing cells match only each other; at most k.

        It is k itself unless the plan lets missing cells match every value.
        """
        strict_sizes = [
            finding.figures["strict"]
            for finding in self.findings
            if finding.code == MATCH_ANY and finding.figures
        ]
        return int(strict_sizes[0]) if strict_sizes else self.k

    def of(self, severity: Severity) -> list[Finding]:
        """Return the findings of one severity."""
        return [finding for finding in self.findings if finding.severity == severity]

    def codes(self) -> list[str]:
        """Return the codes of all findings, in order."""
        return [finding.code for finding in self.findings]

    def to_dict(self, *, ways_out: bool = True, wording: Wording | None = None) -> dict[str, Any]:
        """Return the verdict as plain data; without ``ways_out`` for the public.

        Shares and other measures are rounded to four digits. With ``wording``, ways out name
        options as an interface writes them.
        """
        omitted = () if ways_out else ("way_out",)
        findings = [
            {
                name: _rounded(value)
                for name, value in asdict(finding).items()
                if name not in omitted
            }
            for finding in self.findings
        ]
        if ways_out and wording is not None:
            for entry, finding in zip(findings, self.findings, strict=True):
                entry["way_out"] = finding.advice(wording)
        return {
            "status": self.status,
            "sentence": self.sentence,
            "promised": self.promised,
            "k": self.k,
            "unit": self.unit,
            "findings": findings,
        }

    def _repr_html_(self) -> str:
        from shoal.report.notebook import verdict_html  # see docs/architecture.md

        return verdict_html(self)


def make_verdict(
    promised: int | None,
    k: int,
    unit: str,
    findings: Sequence[Finding],
    exact: Mapping[str, float] | None = None,
) -> Verdict:
    """Return a verdict with the most severe findings first, otherwise in their order."""
    order = ("breaks", "qualifies", "informs")
    ranked = sorted(findings, key=lambda finding: order.index(finding.severity))
    return Verdict(promised, k, unit, tuple(ranked), exact)


def _rounded(value: Any) -> Any:
    """Return plain data with floats rounded to four significant digits, and tuples as lists."""
    if isinstance(value, Mapping):
        return {name: _rounded(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(entry) for entry in value]
    return float(f"{value:.4g}") if isinstance(value, float) else value


def count_phrase(number: int, unit: str = RECORD_UNIT) -> str:
    """Return a phrase such as ``5 records`` or ``3 units of 'person'``."""
    if unit == RECORD_UNIT:
        return count(number, "record")
    return f"{count(number, 'unit')} of {unit!r}"
