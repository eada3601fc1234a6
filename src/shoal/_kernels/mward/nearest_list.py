"""The nearest groups of a group: a short sorted list of increases and, for ties, numbers."""

from shoal._kernels._compile import compiled


@compiled
def insert(increases, partners, increase, partner):
    """Insert a key into a sorted list of fixed length; the last one falls out."""
    at = increases.shape[0]
    while at > 0 and before(increase, partner, increases[at - 1], partners[at - 1]):
        at -= 1
        if at + 1 < increases.shape[0]:
            increases[at + 1] = increases[at]
            partners[at + 1] = partners[at]
    if at < increases.shape[0]:
        increases[at] = increase
        partners[at] = partner


@compiled
def before(increase, partner, other_increase, other_partner):
    """Say whether the first key comes before the second."""
    return increase < other_increase or (increase == other_increase and partner < other_partner)


@compiled
def holds(partners, other):
    """Say whether ``other`` is on a list."""
    for partner in partners:
        if partner == other:
            return True
    return False
