"""Threshold clustering, slow and readable: sets of neighbours."""

from twins.mdav import labels_of, squared
from twins.neighbours import neighbours


def threshold(X, k):
    near = neighbours(X, k - 1)
    joined = {i: set(near[i]) for i in range(len(X))}
    for i in range(len(X)):
        for j in near[i]:
            joined[j].add(i)
    seeds, home = [], {}
    for i in range(len(X)):
        two_steps = {i, *joined[i]}.union(*(joined[j] for j in joined[i]))
        if not two_steps & set(seeds):
            seeds.append(i)
            home |= dict.fromkeys([i, *joined[i]], i)
    groups = {seed: [i for i in home if home[i] == seed] for seed in seeds}
    for i in range(len(X)):
        if i not in home:
            near_seeds = {home[j] for j in joined[i] if j in home}
            groups[min(near_seeds, key=lambda s: (squared(X[i], X[s]), s))].append(i)
    return labels_of(groups.values(), len(X))
