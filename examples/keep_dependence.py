"""Show how much of a regression survives masking, and how dependence gives it back."""

import numpy as np

import shoal
from shoal.comparison.tradeoff import knee, sweep

people = shoal.datasets.survey()
known, outcome = (
    ["age", "height", "weight", "years_of_education", "household_size"],
    "blood_pressure",
)


def explained(data):
    """Return the share of the outcome that a linear regression explains."""
    A = np.column_stack([np.ones(len(data)), data[known].to_numpy(float)])
    y = data[outcome].to_numpy(float)
    return 1 - (y - A @ np.linalg.lstsq(A, y, rcond=None)[0]).var() / y.var()


print(f"before masking: R² = {explained(people):.3f}")
for share in (0, 0.05, 0.1, 0.2, 0.5):
    release = shoal.microaggregate(
        people[[*known, outcome]],
        known,
        k=5,
        method="mdav",
        confidential=[outcome],
        dependence=share,
    )
    lost = release.measures["information_loss"]
    print(f"dependence {share:4}: R² = {explained(release.data):.3f}, {lost:4.1f} % lost")

best = knee(sweep(people, known, [outcome], k=[5])).dependence
print(f"The knee of both distortions is at {best}.")
