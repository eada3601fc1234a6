"""A short sorted list of the nearest groups of a group, by increase and number."""

from shoal._kernels._compile import compiled


@compiled
def insert(increases, partners, increase, partner):
    """Insert a key into a sorted list of fixed length; the last entry is dropped."""
    at = increases.shape[0]
    while at > 0 and precedes(increase, partner, increases[at - 1], partners[at - 1]):
        at -= 1
        if at + 1 < increases.shape[0]:
            increases[at + 1] = increases[at]
            partners[at + 1] = partners[at]
    if at < increases.shape[0]:
        increases[at] = increase
        partners[at] = partner


@compiled
def precedes(increase, partner, other_increase, other_partner):
    """Return whether the first key is lower than the second."""
    return increase < other_increase or (increase == other_increase and partner < other_partner)


@compiled
def is_listed(partners, other):
    """Return whether ``other`` is listed."""
    for partner in partners:
        if partner == other:
            return True
    return False
