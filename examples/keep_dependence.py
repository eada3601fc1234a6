"""Show how much of a regression masking keeps, and how much more with `dependence`."""

import numpy as np

import shoal
from shoal.comparison.tradeoff import knee, sweep

people = shoal.datasets.survey()
quasi_identifiers = ["age", "height", "weight", "years_of_education", "household_size"]
outcome = "blood_pressure"


def share_explained(data):
    """Return the share of the outcome that a linear regression explains."""
    A = np.column_stack([np.ones(len(data)), data[quasi_identifiers].to_numpy(float)])
    y = data[outcome].to_numpy(float)
    return 1 - (y - A @ np.linalg.lstsq(A, y, rcond=None)[0]).var() / y.var()


print(f"before masking: R² = {share_explained(people):.3f}")
for share in (0, 0.05, 0.1, 0.2, 0.5):
    release = shoal.microaggregate(
        people[[*quasi_identifiers, outcome]],
        quasi_identifiers,
        k=5,
        method="mdav",
        confidential=[outcome],
        dependence=share,
    )
    loss = release.measures["information_loss"]
    print(f"dependence {share:4}: R² = {share_explained(release.data):.3f}, {loss:4.1f} % lost")

knee_dependence = knee(sweep(people, quasi_identifiers, [outcome], k=[5])).dependence
print(f"The knee of both distortions is at {knee_dependence}.")
