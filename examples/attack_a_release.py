"""Play the attacker: link records, find groups that agree, and combine two releases."""

import numpy as np

import shoal

people = shoal.datasets.survey()
quasi_identifiers = ["age", "height", "weight", "years_of_education", "household_size"]
roles = {"identifiers": ["person"], "confidential": ["income", "blood_pressure", "smoker"]}


def share_linked(release):
    """Return the share of records that an attacker who knows all columns links correctly."""
    measures = shoal.assess(
        people, release.data, quasi_identifiers=quasi_identifiers, measures=["linkage"]
    )
    return measures["linkage"]


masked_together = shoal.microaggregate(people, quasi_identifiers, k=5, **roles)
masked_apart = shoal.microaggregate(people, quasi_identifiers, k=5, blocks=1, **roles)
print(f"linked correctly, columns masked together: {share_linked(masked_together):.1%}")
print(f"linked correctly, each column separately:  {share_linked(masked_apart):.1%}")

n_shared = masked_together.measures["homogeneous_classes"]["smoker"]
print(f"groups that agree on smoking: {n_shared} of {masked_together.partitions[0].n_groups}")

second_release = shoal.microaggregate(people, quasi_identifiers, k=7, **roles)
pairs = masked_together.labels * second_release.partitions[0].n_groups + second_release.labels
_, pair_of_record, sizes = np.unique(pairs, return_inverse=True, return_counts=True)
share_alone = (sizes[pair_of_record] == 1).mean()
print(f"people who are the only common member of their two groups: {share_alone:.0%}")
