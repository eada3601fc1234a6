"""Post-randomisation in exact fractions, by the definitions and by enumeration."""

from fractions import Fraction
from itertools import product


def invariant_matrix(first, frequencies):
    """Return the product of both stages; the second one is Bayes' rule for the first."""
    n, m = len(first), len(first[0])
    first = [[Fraction(p) for p in row] for row in first]
    reached = [sum(frequencies[k] * first[k][j] for k in range(n)) for j in range(m)]
    second = [
        [frequencies[k] * first[k][j] / reached[j] if reached[j] else Fraction(0) for k in range(n)]
        for j in range(m)
    ]
    return [[sum(first[k][j] * second[j][i] for j in range(m)) for i in range(n)] for k in range(n)]


def outcomes(records, matrix):
    """Yield the frequencies of every possible release of some records, with its probability."""
    n = len(matrix[0])
    for released in product(range(n), repeat=len(records)):
        chance = Fraction(1)
        for code_before, code_after in zip(records, released, strict=True):
            chance *= Fraction(matrix[code_before][code_after])
        if chance:
            yield [released.count(code) for code in range(n)], chance
