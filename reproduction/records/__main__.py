"""Check the records, or beat one: ``python -m reproduction.records``, or ``make records``."""

from typing import Annotated

import typer

from reproduction.records.page import write_page
from reproduction.records.record import CELLS, read, recorded_cells, write
from reproduction.records.verification import NotVerified, verify

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)

Only = Annotated[list[str] | None, typer.Option(help="Cell to check, such as census-10; repeat.")]
Quick = Annotated[bool, typer.Option("--quick", help="Check partitions and sums of duals only.")]
Improve = Annotated[str | None, typer.Option(help="Cell whose record to beat.")]
Seconds = Annotated[float, typer.Option(help="CPU seconds to spend on beating a record.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed of the searches for partitions.")]


def check_cell(name: str) -> str:
    """Return the name of a cell; refuse others."""
    if name not in CELLS:
        raise typer.BadParameter(f"There is no cell {name!r}. Choose one of: {', '.join(CELLS)}.")
    return name


def beat_record(name: str, seconds: float, seed: int) -> None:
    """Try to beat a record; write it and the page if that succeeds and can be verified."""
    from reproduction.records.improve import first_record, improve

    old = read(name) if name in recorded_cells() else first_record(name)
    new = improve(old, seconds, seed)
    if new is old:
        typer.echo(f"{name}: nothing better than loss {old.loss:.7g}, bound {old.bound:.7g}")
        return
    verify(new)
    write(new)
    write_page()
    typer.echo(
        f"{name}: loss {old.loss:.7g} -> {new.loss:.7g}, bound {old.bound:.7g} -> {new.bound:.7g}"
        f" verified, {old.claimed:.7g} -> {new.claimed:.7g} claimed"
    )


@app.command()
def records(
    only: Only = None,
    quick: Quick = False,
    improve: Improve = None,
    seconds: Seconds = 1200.0,
    seed: Seed = 0,
) -> None:
    """Check the records independently, or try to beat one."""
    try:
        if improve is not None:
            beat_record(check_cell(improve), seconds, seed)
            return
        for name in map(check_cell, only or recorded_cells()):
            result = verify(read(name), bounds=not quick)
            bound = "not checked" if result.bound is None else f"{result.bound:.7g} verified"
            typer.echo(
                f"{name}: loss {result.loss:.7g} verified, bound {bound},"
                f" {result.cpu_seconds:.0f} CPU s"
            )
    except NotVerified as error:
        typer.secho(f"error: {error}", fg="red", err=True)
        raise typer.Exit(1) from None


if __name__ == "__main__":
    app()
