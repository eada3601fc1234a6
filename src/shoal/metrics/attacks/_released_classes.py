"""Classes of released records that are equal on given columns, and their members."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shoal.metrics._array_types import Counts, Labels, Rows


@dataclass(frozen=True, eq=False)
class ReleasedClasses:
    """Classes of released records that are equal on given columns.

    Parameters
    ----------
    labels : ndarray of shape (n_records,)
        Class of each record.
    representatives : ndarray of shape (n_classes,)
        One record of each class.
    sizes : ndarray of shape (n_classes,)
        Number of records of each class.
    """

    labels: Labels
    representatives: Rows
    sizes: Counts

    @cached_property
    def _order(self) -> Rows:
        """The rows of all records, class by class."""
        return np.argsort(self.labels, kind="stable")

    @cached_property
    def _starts(self) -> Rows:
        """Positions in ``_order`` at which the rows of each class begin."""
        return np.asarray(np.cumsum(self.sizes) - self.sizes)

    def members(self, labels: Labels) -> Rows:
        """Return the rows of all records in the classes with the given labels."""
        order, starts = self._order, self._starts
        return np.concatenate(
            [order[starts[label] : starts[label] + self.sizes[label]] for label in labels.tolist()]
        )
