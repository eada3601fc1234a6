"""The results of methods with a time budget, or whose time depends on the table.

A part of `costs.py`, without arithmetic to compare the times with.
"""

import harness
from generators import table

WIDTH, K = 13, 5
ROUNDS = 5  # rounds per record of each of two annealings
SECONDS = 20  # CPU seconds of a proof
CASES = [
    ("search", "clustered", 1000), ("search", "clustered", 10_000), ("search", "gaussian", 10_000),
    ("prove", "clustered", 1000), ("prove", "gaussian", 1000),
    ("optimal", "clustered", 40), ("optimal", "clustered", 80),
]  # fmt: skip


def measure(name, kind, n):
    """Return the time and the result of one run."""
    X = table(kind, n, WIDTH)
    seconds, result = RUNS[name](X)
    return {
        "what": "budget", "name": name, "kind": kind, "n": n, "p": WIDTH, "k": K,
        "cpu_seconds": float(f"{seconds:.4g}"), "gave": result,
    }  # fmt: skip


def search(X):
    """Return the seconds of a search, and its rounds per second."""
    from shoal.partitioners import Search

    def seconds(rounds):
        method = Search(k=K, rounds=rounds, random_state=0)
        method.fit(X[:500])
        return harness.time_run(lambda: method.fit(X))[1]

    total_seconds = seconds(ROUNDS)
    n_trials = 2 * ROUNDS * len(X) / max(total_seconds - seconds(0), 1e-9)
    return total_seconds, f"{float(f'{n_trials:.2g}'):,.0f} trials a second"


def prove(X):
    """Return the seconds of a proof, and the greatest distance from the optimum."""
    from shoal.partitioners import Prove
    from shoal.partitioners._base import sse

    Prove(k=K, budget=1, random_state=0).fit(X[:100])
    method = Prove(k=K, budget=SECONDS, random_state=0)
    seconds = harness.time_run(lambda: method.fit(X), repeats=0)[1]
    excess = 100 * (sse(X, method.labels_) / method.bound_ - 1)
    return seconds, f"at most {excess:.2g} % above the optimum, of {SECONDS} s given"


def optimal(X):
    """Return the seconds that the optimum takes."""
    from shoal.partitioners import Optimal

    method = Optimal(k=K)
    method.fit(X[:30])
    return harness.time_run(lambda: method.fit(X))[1], "the optimum"


RUNS = {"search": search, "prove": prove, "optimal": optimal}
