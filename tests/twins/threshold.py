"""Threshold clustering, slow and readable: sets of neighbours."""

from twins.mdav import labels_of, squared
from twins.neighbours import neighbours


def threshold(X, k):
    near = neighbours(X, k - 1)
    linked = {i: set(near[i]) for i in range(len(X))}
    for i in range(len(X)):
        for j in near[i]:
            linked[j].add(i)
    seeds, seed_of = [], {}
    for i in range(len(X)):
        two_steps = {i, *linked[i]}.union(*(linked[j] for j in linked[i]))
        if not two_steps & set(seeds):
            seeds.append(i)
            seed_of |= dict.fromkeys([i, *linked[i]], i)
    groups = {seed: [i for i in seed_of if seed_of[i] == seed] for seed in seeds}
    for i in range(len(X)):
        if i not in seed_of:
            near_seeds = {seed_of[j] for j in linked[i] if j in seed_of}
            groups[min(near_seeds, key=lambda s: (squared(X[i], X[s]), s))].append(i)
    return labels_of(groups.values(), len(X))
