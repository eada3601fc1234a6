"""The papers by name, and the function that writes their pages."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from reproduction import cv_mdav, dependence, mu_approx, two_mu_approx, ward_mwa
from reproduction.all_methods import methods_text
from reproduction.contents import contents_text
from reproduction.markdown import index_text, page_text
from reproduction.page import Page, Section
from reproduction.plots import check_plots, draw
from reproduction.stored_results import recomputing
from shoal import _progress as progress
from shoal._params import hint
from shoal.errors import FileError, ParameterError
from shoal.io.publish import Publication


@dataclass(frozen=True)
class Paper:
    """A page without its sections, and the functions that compute the sections."""

    page: Page
    sections: Sequence[Callable[[], Section]]


PAPERS = {
    module.PAGE.name: Paper(module.PAGE, module.SECTIONS)
    for module in (ward_mwa, two_mu_approx, mu_approx, cv_mdav, dependence)
}


def make_page(name: str) -> Page:
    """Run every table and figure of a paper.

    Parameters
    ----------
    name : str
        A name in ``PAPERS``.

    Returns
    -------
    Page
        The page, with published figures beside ours.
    """
    if name not in PAPERS:
        raise ParameterError(
            f"There is no paper {name!r}.{hint(name, PAPERS)} Choose one of: {', '.join(PAPERS)}."
        )
    paper = PAPERS[name]
    sections = []
    for n_sections_done, compute_section in enumerate(paper.sections):
        progress.report(name, n_sections_done, len(paper.sections))
        sections.append(compute_section())
    progress.report(name, len(paper.sections), len(paper.sections))
    return replace(paper.page, sections=tuple(sections))


def write_pages(folder: Path, names: Sequence[str] = (), *, force: bool = False) -> list[Page]:
    """Write one page for each paper, with its figures; all files appear together, or none.

    Parameters
    ----------
    folder : Path
        Where to write; it is created if it does not exist.
    names : list of str
        Names in ``PAPERS``. If there are none, all papers are written, and a page
        ``README.md`` that links to them.
    force : bool
        Whether files that exist may be replaced.

    Returns
    -------
    list of Page
        The pages that were written.
    """
    check_plots()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{str(folder)!r} cannot be a folder: {error.strerror}.") from None
    with Publication(force=force) as publication:
        page_files = {name: publication.add(folder / f"{name}.md") for name in names or PAPERS}
        index_file = None if names else publication.add(folder / "README.md")
        contents_file = None if names else publication.add(folder / "contents.md")
        methods_file = None if names else publication.add(folder / "methods.md")
        with recomputing():
            pages = [make_page(name) for name in page_files]
        for page in pages:
            page_files[page.name].write_text(page_text(page), encoding="utf-8")
            for figure in page.figures():
                publication.add(folder / f"{figure.name}.svg").write_bytes(draw(figure))
        if index_file is not None and contents_file is not None and methods_file is not None:
            texts = {page.name: page_text(page) for page in pages}
            index_file.write_text(index_text(pages), encoding="utf-8")
            contents_file.write_text(contents_text(pages, texts), encoding="utf-8")
            with recomputing():
                methods_file.write_text(methods_text(), encoding="utf-8")
    return pages
