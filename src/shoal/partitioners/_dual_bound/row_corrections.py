"""The corrections of rows: how far their duals must fall, from a search for violated groups.

`shoal._kernels.dual_bound.search_radius` explains at which rows a violated group is anchored.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._kernels.column_generation.cheapest_groups import open_cheapest_groups
from shoal._kernels.dual_bound.correction import CorrectionEffort, PricedTable, correct_rows
from shoal._kernels.dual_bound.row_boxes import BoxLevels
from shoal.partitioners._base import Indices, Values
from shoal.partitioners._dual_bound.group_pool import Members
from shoal.partitioners._dual_bound.long_table import LongTable, rounding_share

MAX_GROUPS_PER_ROW = 2  # violated groups that are kept per row


class CorrectionSearch(NamedTuple):
    """What the tasks of a search for violated groups share beside the table."""

    dual: Values
    net_dual: Values
    boxes: BoxLevels
    effort: CorrectionEffort


class RowCorrections(NamedTuple):
    """What must be added to the duals of the searched rows (at most 0), and violated groups.

    ``reduced_costs`` are the reduced costs of the ``groups``. ``is_incomplete`` marks the rows at
    which the effort did not suffice, so that their corrections may be larger than needed.
    """

    correction: Values
    groups: Members
    reduced_costs: Values
    is_incomplete: NDArray[np.bool_]


def row_corrections(table: LongTable, search: CorrectionSearch, rows: Indices) -> RowCorrections:
    """Search for the violated groups anchored at ``rows``."""
    priced_table = PricedTable(
        table.X, table.near, table.k, search.dual, search.net_dual, search.boxes
    )
    effort = search.effort._replace(margin=rounding_share(table))
    cheapest = open_cheapest_groups(len(rows), MAX_GROUPS_PER_ROW, table.k)
    correct_rows(priced_table, rows, effort, cheapest)
    is_stored, is_incomplete = cheapest.is_stored, cheapest.bounds < cheapest.costs.min(axis=1)
    # No dual has to fall below the neighbour dual.
    dual = search.dual[rows]
    lowest_correction = np.minimum(dual, table.neighbour_dual[rows]) - dual
    return RowCorrections(
        correction=np.maximum(cheapest.bounds, lowest_correction),
        groups=cheapest.groups[is_stored].astype(np.int32),
        reduced_costs=cheapest.costs[is_stored],
        is_incomplete=is_incomplete,
    )
