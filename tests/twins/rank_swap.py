"""Rank swapping as the docstring says it: who is free, and which of them."""


def partners(window, chance):
    partner = {}
    for i in range(len(chance)):
        if i in partner:
            continue
        above = range(i + 1, min(len(chance), i + window + 1))
        free = [j for j in above if j not in partner]
        chosen = free[int(chance[i] * len(free))] if free else i
        partner[i], partner[chosen] = chosen, i
    return [partner[i] for i in range(len(chance))]
