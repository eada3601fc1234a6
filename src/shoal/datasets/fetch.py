"""The one place where Shoal opens a connection: a reference file, fetched once."""

from pathlib import Path
from types import ModuleType

from shoal.errors import FileError, MissingDependency

ADDRESS = (
    "https://raw.githubusercontent.com/sdcTools/sdcMicro/"
    "cf3251017482bb215f0a9abf4a930f502399fb72/data/"
)
SECONDS = 30

WAY_OUT = (
    "Connect to the network, or set the environment variable SHOAL_DATA to a folder with the CSVs."
)


def fetch(file: str, sha256: str) -> Path:
    """Return the path of ``file`` in the user's cache folder; fetch it if it is not there.

    The file appears in the cache whole and with the right hash, or not at all.
    """
    pooch = _pooch()
    import requests  # comes with pooch

    try:
        path = pooch.retrieve(
            ADDRESS + file,
            known_hash=f"sha256:{sha256}",
            fname=file,
            path=cache_folder(),
            downloader=pooch.HTTPDownloader(timeout=SECONDS),
        )
    except requests.exceptions.RequestException as failure:
        raise FileError(
            f"{file} could not be fetched from {ADDRESS} ({type(failure).__name__}). {WAY_OUT}"
        ) from None
    except ValueError:
        raise FileError(
            f"What came from {ADDRESS} is not the {file} expected: its sha256 differs. Nothing"
            f" was kept. {WAY_OUT}"
        ) from None
    except OSError as failure:
        raise FileError(
            f"{file} could not be kept in the cache folder {cache_folder()}"
            f" ({type(failure).__name__}). Make it writable, or set SHOAL_DATA to a folder with"
            " the CSVs."
        ) from None
    return Path(path)


def cache_folder() -> Path:
    """Return the folder where fetched files are kept."""
    return Path(_pooch().os_cache("shoal"))


def _pooch() -> ModuleType:
    try:
        import pooch
    except ImportError:
        raise missing("pooch") from None
    return pooch  # type: ignore[no-any-return]


def missing(package: str) -> MissingDependency:
    """Return the error that says how to install ``package``."""
    return MissingDependency(
        f"To fetch a reference table, the package {package} is needed. Install it with:"
        ' pip install "shoal[datasets]". Or set the environment variable SHOAL_DATA to a folder'
        " with the CSVs."
    )
