"""Arguments and options that commands share, each declared once.

Commands use them as ``options.Source``; `expand_blocks` in ``blocks`` turns a block, such as
`ReadOptions`, into its single options.
"""

from shoal.cli.options.columns import (
    Aligned,
    By,
    Columns,
    Confidential,
    Hierarchies,
    Household,
    HouseholdOfSample,
    Identifiers,
    MinGroup,
    MissingCodes,
    RequiredConfidential,
    SurveyWeight,
    Types,
    Unit,
    UnitOfOriginal,
    Weight,
    Within,
)
from shoal.cli.options.methods import (
    Budget,
    DependenceValues,
    Effort,
    K,
    KValues,
    Method,
    NJobs,
    Seed,
    Settings,
)
from shoal.cli.options.output import Force, Json, LimitsOnFigures, Quiet, SavePlan, Shuffle
from shoal.cli.options.plan import PlanOptions, RoleOptions
from shoal.cli.options.reading import Layout, ReadOptions, Table
from shoal.cli.options.release import ReleaseOptions, Scheduler
from shoal.cli.options.tables import (
    Masked,
    MaskedTable,
    Original,
    PlanFile,
    Source,
    Sources,
    Target,
)

__all__ = [
    "Aligned",
    "Budget",
    "By",
    "Columns",
    "Confidential",
    "DependenceValues",
    "Effort",
    "Force",
    "Hierarchies",
    "Household",
    "HouseholdOfSample",
    "Identifiers",
    "Json",
    "K",
    "KValues",
    "Layout",
    "LimitsOnFigures",
    "Masked",
    "MaskedTable",
    "Method",
    "MinGroup",
    "MissingCodes",
    "NJobs",
    "Original",
    "PlanFile",
    "PlanOptions",
    "Quiet",
    "ReadOptions",
    "ReleaseOptions",
    "RequiredConfidential",
    "RoleOptions",
    "SavePlan",
    "Scheduler",
    "Seed",
    "Settings",
    "Shuffle",
    "Source",
    "Sources",
    "SurveyWeight",
    "Table",
    "Target",
    "Types",
    "Unit",
    "UnitOfOriginal",
    "Weight",
    "Within",
]
