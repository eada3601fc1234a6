"""The content of a page about a paper as plain data: published figures beside ours."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from reproduction.figure import Figure

Key = tuple[str, str]
Published = Mapping[Key, str]


def as_printed(columns: str, text: str) -> dict[Key, str]:
    """Return the cells of a printed table by the names of their row and column.

    Parameters
    ----------
    columns : str
        Names of the columns, with blanks between them.
    text : str
        One line for each row: its name, two blanks or more, its cells. A cell
        has every digit that was printed; ``-`` stands for a missing figure.

    Returns
    -------
    dict
        The printed figures, by row and column.

    Examples
    --------
    >>> as_printed("k=3 k=4", "MDAV  5.69  7.50")
    {('MDAV', 'k=3'): '5.69', ('MDAV', 'k=4'): '7.50'}
    """
    cells: dict[Key, str] = {}
    for line in text.strip().splitlines():
        row, values = line.strip().split("  ", maxsplit=1)
        for column, value in zip(columns.split(), values.split(), strict=True):
            cells[row, column] = value
    return cells


@dataclass(frozen=True)
class Comparison:
    """One figure of a paper beside ours.

    Parameters
    ----------
    row : str
        Its row in the table.
    column : str
        Its column in the table.
    published : str
        The printed figure, with all its digits; ``-`` if there is none.
    ours : float
        The result of our code.
    note : str
        Why the two differ, if they do.
    may_be_cut : bool
        Whether the paper may have cut the figure to the printed digits, rather than rounded it.
    is_input : bool
        Whether the figure is an input that the method leaves unchanged; it does not
        count as reproduced.
    """

    row: str
    column: str
    published: str
    ours: float
    note: str = ""
    may_be_cut: bool = False
    is_input: bool = False

    @property
    def digits(self) -> int:
        """Number of decimals that are printed."""
        return len(self.published.partition(".")[2])

    @property
    def agrees_rounded(self) -> bool:
        """Whether our figure, rounded to the printed digits, equals the printed one."""
        return float(self.published) == float(f"{self.ours:.{self.digits}f}")

    @property
    def agrees(self) -> bool:
        """Whether our figure, rounded or cut to the printed digits, equals the printed one."""
        if self.published == "-" or self.agrees_rounded:
            return True
        with_more_digits = f"{self.ours:.{self.digits + 8}f}"
        return self.may_be_cut and float(self.published) == float(with_more_digits[:-8])

    @property
    def difference(self) -> float:
        """Our figure minus the published one."""
        return self.ours - float(self.published)


@dataclass(frozen=True)
class Table:
    """A table of a paper, with our figures beside the published ones.

    Parameters
    ----------
    title : str
        Number and title.
    about : str
        How our figures were computed.
    comparisons : tuple of Comparison
        Its cells, row by row.
    uses_other_data : bool
        Whether the data of the paper are not known: our data are then of the same kind, and
        differences mean nothing.
    """

    title: str
    about: str
    comparisons: tuple[Comparison, ...]
    uses_other_data: bool = False

    @classmethod
    def of(
        cls,
        title: str,
        about: str,
        published: Published,
        ours: Mapping[Key, float],
        notes: Mapping[Key, str] | None = None,
        *,
        may_be_cut: bool | Collection[Key] = False,
        inputs: Collection[str] = (),
        uses_other_data: bool = False,
    ) -> "Table":
        """Return the table that joins the published figures and ours.

        The keys of ``notes`` are rows and columns; an empty name stands for all rows or columns.
        ``may_be_cut`` is True if the paper cuts its figures, or the figures that it cuts;
        ``inputs`` are the columns that the method leaves unchanged.
        """
        cells = tuple(
            Comparison(
                *(row, column, text, ours[row, column], _find_note(notes or {}, row, column)),
                may_be_cut=may_be_cut
                if isinstance(may_be_cut, bool)
                else (row, column) in may_be_cut,
                is_input=column in inputs,
            )
            for (row, column), text in published.items()
        )
        return cls(title, about, cells, uses_other_data)

    @property
    def comparable_cells(self) -> list[Comparison]:
        """The cells that are printed and that the method computes."""
        return [cell for cell in self.comparisons if cell.published != "-" and not cell.is_input]

    @property
    def rows(self) -> list[str]:
        """Names of the rows, in order."""
        return list(dict.fromkeys(cell.row for cell in self.comparisons))

    @property
    def columns(self) -> list[str]:
        """Names of the columns, in order."""
        return list(dict.fromkeys(cell.column for cell in self.comparisons))


def _find_note(notes: Mapping[Key, str], row: str, column: str) -> str:
    keys = ((row, column), (row, ""), ("", column), ("", ""))
    return next((notes[key] for key in keys if key in notes), "")


@dataclass(frozen=True)
class Claim:
    """A sentence of a paper, and whether our numbers bear it out.

    Parameters
    ----------
    statement : str
        What the paper claims, in our words.
    result : str
        Our result, in numbers.
    holds : bool
        Whether the claim holds on our numbers.
    note : str
        Why the claim does not hold, if so.
    holds_in_print : bool
        Whether the claim holds on the figures that the paper prints.
    """

    statement: str
    result: str
    holds: bool
    note: str = ""
    holds_in_print: bool = True

    @property
    def verdict(self) -> str:
        """The verdict as a page shows it."""
        if self.holds:
            return "holds"
        text = "does not hold" if self.holds_in_print else "not on its own tables either"
        return f"{text}. {self.note}".strip()


@dataclass(frozen=True)
class Claims:
    """Sentences of a paper, each with our result."""

    title: str
    about: str
    claims: tuple[Claim, ...]


@dataclass(frozen=True)
class NumberTable:
    """A table of our figures only, such as the points of a plot."""

    title: str
    columns: tuple[str, ...]
    rows: Mapping[str, Sequence[float]]
    decimals: int = 4


@dataclass(frozen=True)
class TextTable:
    """A table of texts of the paper beside ours, such as running times and ranges."""

    title: str
    about: str
    rows: Mapping[str, tuple[str, str]]
    header: tuple[str, str] = ("published", "ours")


Section = Table | Claims | NumberTable | TextTable | Figure


@dataclass(frozen=True)
class Page:
    """The page about one paper.

    Parameters
    ----------
    name : str
        Name of the file, without its ending.
    title : str
        Title of the paper.
    reference : str
        Authors, year and where it was published.
    about : str
        Introduction to the tables.
    sections : tuple
        Tables, claims, numbers and figures, in the order of the paper.
    """

    name: str
    title: str
    reference: str
    about: str
    sections: tuple[Section, ...] = field(default=())

    def comparisons(self) -> Iterator[Comparison]:
        """Yield every figure that is printed and can be compared."""
        for section in self.sections:
            if isinstance(section, Table) and not section.uses_other_data:
                yield from section.comparable_cells

    def claims(self) -> Iterator[Claim]:
        """Yield every claim."""
        for section in self.sections:
            if isinstance(section, Claims):
                yield from section.claims

    def figures(self) -> Iterator[Figure]:
        """Yield every figure."""
        yield from (section for section in self.sections if isinstance(section, Figure))
