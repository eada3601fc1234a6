"""Play the attacker: link records, find groups that agree, and cross two releases."""

import numpy as np

import shoal

people = shoal.datasets.survey()
known = ["age", "height", "weight", "years_of_education", "household_size"]
roles = {"identifiers": ["person"], "confidential": ["income", "blood_pressure", "smoker"]}


def linked(release):
    """Return the share of records that an attacker who knows all columns links rightly."""
    measured = shoal.assess(people, release.data, quasi_identifiers=known, measures=["linkage"])
    return measured["linkage"]


together = shoal.microaggregate(people, known, k=5, **roles)
apart = shoal.microaggregate(people, known, k=5, blocks=1, **roles)
print(f"linked rightly, columns masked together: {linked(together):.1%}")
print(f"linked rightly, each column by itself:   {linked(apart):.1%}")

agree = together.measures["homogeneous_classes"]["smoker"]
print(f"groups that agree on smoking: {agree} of {together.partitions[0].n_groups}")

other = shoal.microaggregate(people, known, k=7, **roles)
pairs = together.labels * other.partitions[0].n_groups + other.labels
_, where, sizes = np.unique(pairs, return_inverse=True, return_counts=True)
print(f"alone where two releases cross: {(sizes[where] == 1).mean():.0%} of the people")
