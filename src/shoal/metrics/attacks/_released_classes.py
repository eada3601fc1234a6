"""Classes of released records that are equal on some columns."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shoal.metrics._array_types import Labels


@dataclass(frozen=True, eq=False)
class ReleasedClasses:
    """Released records that are equal on some columns.

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
    representatives: Labels
    sizes: Labels

    @cached_property
    def _order(self) -> Labels:
        """The records, class by class."""
        return np.argsort(self.labels, kind="stable")

    @cached_property
    def _starts(self) -> Labels:
        """Where the records of each class begin."""
        return np.asarray(np.cumsum(self.sizes) - self.sizes)

    def members(self, chosen_classes: Labels) -> Labels:
        """Return the rows of all records of the chosen classes."""
        order, starts = self._order, self._starts
        members_by_class = [
            order[starts[chosen_class] : starts[chosen_class] + self.sizes[chosen_class]]
            for chosen_class in chosen_classes.tolist()
        ]
        return np.concatenate(members_by_class)
