"""Report and manifest of a release: they appear with its folder, or not at all."""

from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from shoal import manifest as manifests
from shoal.errors import FileError
from shoal.table.publish import Publication

if TYPE_CHECKING:
    from shoal.scale.release import LargeRelease


class Beside:
    """Files beside the folder of a release, under way.

    What cannot be written is refused before the work begins. The files get their names after
    the folder has its own; where one cannot, the error goes on to the folder, which goes back.

    Parameters
    ----------
    target : Path
        The folder of the release.
    report : Path or None
        Where the report is to appear.
    audience : str
        Who reads it.
    manifest : Path or None
        Where the manifest is to appear.
    force : bool
        Whether files that exist may be replaced.
    """

    def __init__(
        self, target: Path, report: Path | None, audience: str, manifest: Path | None, force: bool
    ):
        from shoal.report import check_audience, check_report  # templates, not for workers

        check_audience(audience)
        if report is not None:
            check_report(report)
        if manifest is not None:
            manifests.check_manifest(manifest)
        for path in (report, manifest):
            if path is not None and target in (path.resolve(), *path.resolve().parents):
                raise FileError(
                    f"{str(path)!r} lies in the folder of the release, which holds nothing but its"
                    " files. Write it beside the folder."
                )
        self.report, self.audience, self.manifest = report, audience, manifest
        self._publication = Publication(force=force)

    def __enter__(self) -> Self:
        self._publication.__enter__()
        try:
            self._page = None if self.report is None else self._publication.add(self.report)
            self._record = None if self.manifest is None else self._publication.add(self.manifest)
        except FileError as error:
            self._publication.__exit__(type(error), error, None)
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._publication.__exit__(kind, error, trace)

    def write(self, made: "LargeRelease") -> None:
        """Write what is to be said about a release."""
        from shoal.report import report_text, summarise

        if self._page is not None and self.report is not None:
            text = report_text(summarise(made, self.audience), self.report)
            self._page.write_text(text, encoding="utf-8")
        if self._record is not None:
            self._record.write_text(manifests.dumps(made.manifest), encoding="utf-8")
