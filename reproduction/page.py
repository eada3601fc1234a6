"""The content of a page about a paper, as plain data: published figures beside ours."""

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
        keeps every digit that was printed; ``-`` stands for none.

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
        Row of the table it stands in.
    column : str
        Column of the table it stands in.
    published : str
        As it is printed, with all its digits; ``-`` if there is none.
    ours : float
        The result of our code.
    note : str
        Why the two differ, where they do.
    cut : bool
        Whether the paper may have cut the figure to the digits printed, rather
        than rounded it.
    copied : bool
        Whether the figure is an input that the method leaves as it is; it does not
        count as reproduced.
    """

    row: str
    column: str
    published: str
    ours: float
    note: str = ""
    cut: bool = False
    copied: bool = False

    @property
    def digits(self) -> int:
        """Number of decimals that are printed."""
        return len(self.published.partition(".")[2])

    @property
    def rounds(self) -> bool:
        """Whether ours, rounded to the digits printed, is what is printed."""
        return float(self.published) == float(f"{self.ours:.{self.digits}f}")

    @property
    def agrees(self) -> bool:
        """Whether ours, rounded or cut to the digits printed, is what is printed."""
        if self.published == "-" or self.rounds:
            return True
        longer = f"{self.ours:.{self.digits + 8}f}"
        return self.cut and float(self.published) == float(longer[:-8])

    @property
    def difference(self) -> float:
        """Ours less the published figure."""
        return self.ours - float(self.published)


@dataclass(frozen=True)
class Table:
    """A table of a paper, its figures beside ours.

    Parameters
    ----------
    title : str
        Number and title.
    about : str
        How ours were made.
    comparisons : tuple of Comparison
        Its cells, row by row.
    in_kind : bool
        Whether the data of the paper are not known, so that ours are of the
        same kind and a difference would mean nothing.
    """

    title: str
    about: str
    comparisons: tuple[Comparison, ...]
    in_kind: bool = False

    @classmethod
    def of(
        cls,
        title: str,
        about: str,
        published: Published,
        ours: Mapping[Key, float],
        notes: Mapping[Key, str] | None = None,
        *,
        cut: bool | Collection[Key] = False,
        copied: Collection[str] = (),
        in_kind: bool = False,
    ) -> "Table":
        """Join the published figures and ours.

        Notes go by row and column; an empty name stands for all. ``cut`` is whether the paper
        cuts its figures, or which of them; ``copied`` are columns of inputs.
        """
        cells = tuple(
            Comparison(
                *(row, column, text, ours[row, column], _note(notes or {}, row, column)),
                cut=cut if isinstance(cut, bool) else (row, column) in cut,
                copied=column in copied,
            )
            for (row, column), text in published.items()
        )
        return cls(title, about, cells, in_kind)

    @property
    def compared(self) -> list[Comparison]:
        """The cells that are printed and that the method makes."""
        return [cell for cell in self.comparisons if cell.published != "-" and not cell.copied]

    @property
    def rows(self) -> list[str]:
        """Names of the rows, in order."""
        return list(dict.fromkeys(cell.row for cell in self.comparisons))

    @property
    def columns(self) -> list[str]:
        """Names of the columns, in order."""
        return list(dict.fromkeys(cell.column for cell in self.comparisons))


def _note(notes: Mapping[Key, str], row: str, column: str) -> str:
    keys = ((row, column), (row, ""), ("", column), ("", ""))
    return next((notes[key] for key in keys if key in notes), "")


@dataclass(frozen=True)
class Claim:
    """A sentence of a paper, and whether our numbers bear it out.

    Parameters
    ----------
    says : str
        What the paper says, restated.
    result : str
        Our result, in numbers.
    holds : bool
        Whether it holds.
    note : str
        Why it does not, where it does not.
    own : bool
        Whether it holds on the figures that the paper prints.
    """

    says: str
    result: str
    holds: bool
    note: str = ""
    own: bool = True

    @property
    def verdict(self) -> str:
        """The verdict as a page shows it."""
        if self.holds:
            return "holds"
        text = "does not hold" if self.own else "not on its own tables either"
        return f"{text}. {self.note}".strip()


@dataclass(frozen=True)
class Claims:
    """Sentences of a paper, each with our result."""

    title: str
    about: str
    claims: tuple[Claim, ...]


@dataclass(frozen=True)
class Numbers:
    """A table of our figures alone, such as the points of a plot."""

    title: str
    columns: tuple[str, ...]
    rows: Mapping[str, Sequence[float]]
    decimals: int = 4


@dataclass(frozen=True)
class Rows:
    """Further figures of a paper beside ours, in words: running times, ranges."""

    title: str
    about: str
    rows: Mapping[str, tuple[str, str]]
    head: tuple[str, str] = ("published", "ours")


Part = Table | Claims | Numbers | Rows | Figure


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
    parts : tuple
        Tables, claims, numbers and figures, in the order of the paper.
    """

    name: str
    title: str
    reference: str
    about: str
    parts: tuple[Part, ...] = field(default=())

    def comparisons(self) -> Iterator[Comparison]:
        """Yield every figure that is printed and can be compared."""
        for part in self.parts:
            if isinstance(part, Table) and not part.in_kind:
                yield from part.compared

    def claims(self) -> Iterator[Claim]:
        """Yield every claim."""
        for part in self.parts:
            if isinstance(part, Claims):
                yield from part.claims

    def figures(self) -> Iterator[Figure]:
        """Yield every figure."""
        yield from (part for part in self.parts if isinstance(part, Figure))
