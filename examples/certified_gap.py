"""Find groups, and prove how much better other groups could be at most."""

import numpy as np

import shoal

people = shoal.datasets.survey(100)
X = people[["age", "height", "weight"]].to_numpy(float)
Z = (X - X.mean(axis=0)) / X.std(axis=0)


def loss(labels):
    """Return the loss of groups in per cent."""
    within = sum(((Z[labels == g] - Z[labels == g].mean(axis=0)) ** 2).sum() for g in set(labels))
    return 100 * within / Z.size


bound = 100 * shoal.lower_bound(Z, 3) / Z.size
print(f"no groups of 3 or more can lose less than {bound:.2f} % (a quick bound)")
for effort in ("quick", "refine", "search"):
    groups = shoal.partition(
        Z, 3, effort=effort, **({"random_state": 1} if effort == "search" else {})
    )
    print(f"{effort:7}{loss(groups.labels):6.2f} % lost")

proof = shoal.METHODS["prove"](k=3, budget=20.0, random_state=1).fit(Z)
gap = loss(proof.labels_) / (100 * proof.bound_ / Z.size) - 1
print(f"prove  {loss(proof.labels_):6.2f} % lost, at most {100 * gap:.2f} % above the minimum")
print("proven optimal:", bool(np.isclose(gap, 0, atol=1e-6)))
