"""A synthetic survey of any length, the same for the same seed."""

from numbers import Integral
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.datasets.frames import FrameLibrary, check_kind, to_frame
from shoal.errors import ParameterError

Column = NDArray[np.float64]

REGIONS = ("coast", "plain", "hills", "lakes", "islands")
CUMULATIVE_SHARES = (0.38, 0.66, 0.84, 0.95)  # of the first four regions

ROLES = {
    "person": "identifier",
    "region": "non-confidential",
    "age": "quasi-identifier",
    "height": "quasi-identifier",
    "weight": "quasi-identifier",
    "years_of_education": "quasi-identifier",
    "household_size": "quasi-identifier",
    "income": "confidential",
    "blood_pressure": "confidential",
    "smoker": "confidential",
}


def survey(n: int = 1000, random_state: int | None = 0, kind: FrameLibrary = "pandas") -> Any:
    """Return a made-up survey of ``n`` persons, for demonstrations and tests.

    No value comes from a real person. The same seed gives the same bytes, and a
    longer survey starts with the records of a shorter one. No value is missing.

    ================== ================ =========================================
    column             role             content
    ================== ================ =========================================
    person             identifier       text: P000001, P000002, ...
    region             non-confidential text: five regions of different size
    age                quasi-identifier years, 18 to 91
    height             quasi-identifier cm; decreases slightly with age
    weight             quasi-identifier kg; increases with height and age
    years_of_education quasi-identifier 6 to 21; decreases slightly with age
    household_size     quasi-identifier 1 to 8; decreases with age
    income             confidential     euros a year; heavy right tail; increases
                                        with education and differs by region
    blood_pressure     confidential     systolic, mmHg; increases with age, weight
    smoker             confidential     yes or no; rarer with education and age
    ================== ================ =========================================

    Anyone may know the region of a person: group within regions, so that k holds
    for region and quasi-identifiers together. ``ROLES["survey"]`` has the roles.

    Parameters
    ----------
    n : int, default=1000
        Number of persons, at least 1.
    random_state : int or None, default=0
        Seed, at least 0. If None, every call returns another survey.
    kind : {"pandas", "polars", "pyarrow"}, default="pandas"
        Kind of frame to return.

    Returns
    -------
    frame
        ``n`` rows, 10 columns.

    Examples
    --------
    >>> survey(n=3)["person"].tolist()
    ['P000001', 'P000002', 'P000003']
    """
    _check_integer("n", n, minimum=1)
    if random_state is not None:
        _check_integer("random_state", random_state, minimum=0)
    check_kind(kind)
    # One stream for each distribution, filled row by row: the first rows do not depend on n.
    normal_generator, uniform_generator = np.random.default_rng(random_state).spawn(2)
    return to_frame(
        _make_survey(normal_generator.standard_normal((n, 6)), uniform_generator.random((n, 4))),
        kind,
    )


def _make_survey(normal: Column, uniform: Column) -> pa.Table:
    """Return the survey that six normal and four uniform draws per person give."""
    region = np.searchsorted(CUMULATIVE_SHARES, uniform[:, 0], side="right")
    age = np.floor(18 + 74 * uniform[:, 1] ** 1.3)
    education = np.clip(np.rint(14 - 0.04 * (age - 45) + 2.6 * normal[:, 0]), 6, 21)
    height = 171.5 - 0.05 * (age - 45) + 9.2 * normal[:, 1]
    body_mass_index = 24.5 + 0.05 * (age - 45) - 0.15 * (education - 13) + 3.4 * normal[:, 2]
    weight = np.maximum(body_mass_index, 16) * (height / 100) ** 2
    household_size = np.clip(np.rint(2.7 - 0.02 * (age - 45) + 1.2 * normal[:, 3]), 1, 8)
    blood_pressure = 122 + 0.45 * (age - 45) + 0.25 * (weight - 73) + 11 * normal[:, 5]
    smokes = uniform[:, 3] < 1 / (1 + np.exp(1 + 0.25 * (education - 13) + 0.02 * (age - 45)))
    columns: dict[str, Any] = {
        "person": [f"P{number:06d}" for number in range(1, len(normal) + 1)],
        "region": np.array(REGIONS, dtype=object)[region],
        "age": age.astype(np.int64),
        "height": np.round(height, 1),
        "weight": np.round(weight, 1),
        "years_of_education": education.astype(np.int64),
        "household_size": household_size.astype(np.int64),
        "income": _income(region, age, education, normal[:, 4], uniform[:, 2]),
        "blood_pressure": np.rint(np.maximum(blood_pressure, 80)).astype(np.int64),
        "smoker": np.where(smokes, "yes", "no").astype(object),
    }
    return pa.table({name: pa.array(column) for name, column in columns.items()})


def _income(
    region: NDArray[np.int64], age: Column, education: Column, z: Column, u: Column
) -> NDArray[np.int64]:
    """Return incomes: log-normal, with the tail of a Pareto distribution of index 2.5."""
    log_median = (
        9.75
        + np.array([0.12, 0.0, -0.05, 0.05, -0.15])[region]
        + 0.09 * (education - 13)
        - 0.0004 * (age - 52) ** 2
        + 0.35 * z
    )
    return np.rint(np.exp(log_median) * (1 - u) ** (-1 / 2.5)).astype(np.int64)


def _check_integer(name: str, value: object, minimum: int) -> None:
    if not isinstance(value, Integral) or isinstance(value, bool) or value < minimum:
        raise ParameterError(
            f"The {name!r} parameter of survey must be an int in [{minimum}, inf). Got {value!r}"
            " instead.",
            code="parameter-not-accepted",
            parameter=name,
        )
