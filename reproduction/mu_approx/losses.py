"""Table 5: loss of distances and of squares on the three reference tables; claims and times."""

from functools import cache, partial

import numpy as np

from reproduction import timing
from reproduction.page import Claim, Claims, Key, Table, TextTable, as_printed
from reproduction.runs import group_labels, group_means, loss, reference_table
from reproduction.stored_results import stored
from shoal.metrics import euclidean_loss
from shoal.partitioners import MuApprox
from shoal.partitioners.mu_approx import Criterion
from shoal.partitioners.mu_approx import loss as criterion_loss

KS, SEEDS = (3, 4, 5, 10), range(100)

TABLE_5 = as_printed(
    "k=3 k=4 k=5 k=10",
    """
    Tarragona, L_E, MDAV  34.32  38.66  41.20  49.64
    Tarragona, L_E, μ-Approx  34.42  38.82  42.23  54.09
    Tarragona, L_SSE, MDAV  16.93  19.55  22.46  33.19
    Tarragona, L_SSE, M-d  16.63  19.66  24.50  38.58
    Tarragona, L_SSE, μ-Approx  -  -  -  -
    Census, L_E, MDAV  22.97  26.53  29.22  36.62
    Census, L_E, μ-Approx  25.35  27.09  29.96  38.11
    Census, L_SSE, MDAV  5.69  7.51  9.09  14.22
    Census, L_SSE, M-d  6.11  8.24  10.30  17.17
    Census, L_SSE, μ-Approx  6.25  8.47  10.78  17.01
    EIA, L_E, MDAV  4.56  5.60  8.13  12.87
    EIA, L_E, μ-Approx  4.30  5.18  6.16  10.06
    EIA, L_SSE, MDAV  0.48  0.67  1.67  3.84
    EIA, L_SSE, μ-Approx  0.43  0.59  0.83  2.26
    """,
)

METHODS = {"MDAV": "mdav", "M-d": "mst", "μ-Approx": "mu-approx"}
MDAV_NOTE = (
    "With k = 4 and 10 the paper's MDAV differs from MDAV-generic only on Census. Both measures"
    " differ, so its groups are others. With k = 3 and 5, and on the other tables, they agree."
)
NOTES: dict[Key, str] = {
    ("Census, L_E, MDAV", ""): MDAV_NOTE,
    ("Census, L_SSE, MDAV", ""): MDAV_NOTE,
    ("Census, L_SSE, M-d", ""): "Near: the paper took its figures from the paper on M-d, and how a"
    " tree of 2k records or more is split is open there.",
}


@cache
def losses_of_run(name: str, method: str, k: int, seed: int | None = None) -> tuple[float, float]:
    """Return L_E and L_SSE of one run."""
    Z = reference_table(name)
    labels = group_labels(Z, method, k, **({} if seed is None else {"random_state": seed}))
    return float(euclidean_loss(Z, group_means(Z, labels))), loss(Z, labels)


@stored("mu-approx-draws")
def draws() -> dict[str, list[tuple[float, float]]]:
    """Return both losses of μ-Approx for every table, k and seed."""
    return {
        f"{name} {k}": [losses_of_run(name, "mu-approx", k, seed) for seed in SEEDS]
        for name in ("tarragona", "census", "eia")
        for k in KS
    }


def losses_of_all_runs(name: str, method: str, k: int) -> list[list[float]]:
    """Return L_E and L_SSE of every run: one, or one for each seed."""
    if method == "mu-approx":
        losses_by_seed: list[list[float]] = draws()[f"{name} {k}"]
        return losses_by_seed
    return [list(losses_of_run(name, method, k))]


def table_5() -> Table:
    """Return both measures of loss for every method and table."""
    ours, notes = {}, dict(NOTES)
    for row, column in TABLE_5:
        name, measure, method = row.split(", ")
        measure_index = ("L_E", "L_SSE").index(measure)
        losses_by_run = losses_of_all_runs(name.lower(), METHODS[method], int(column[2:]))
        losses = [pair[measure_index] for pair in losses_by_run]
        ours[row, column] = sum(losses) / len(losses)
        if len(losses) > 1:
            notes[row, column] = _note_on_draws(TABLE_5[row, column], losses)
    return Table.of(
        "Table 5: information loss",
        "L_E = 100 SDE / SDT counts distances, L_SSE = 100 SSE / SST their squares. The row of"
        " μ-Approx for L_SSE on Tarragona is missing in the copy of the paper we have. The paper"
        f" shows one draw of μ-Approx; ours are means over {len(SEEDS)} seeds, and the notes give"
        " their range.",
        TABLE_5,
        ours,
        notes,
    )


def _sse_losses(name: str, k: int) -> list[float]:
    """Return L_SSE of μ-Approx for every seed."""
    return [l_sse for _, l_sse in draws()[f"{name} {k}"]]


def _note_on_draws(printed: str, losses: list[float]) -> str:
    """Return a note on how a printed loss of one draw compares with ours."""
    least, greatest = min(losses), max(losses)
    loss_range = f"{least:.2f} to {greatest:.2f}"
    if printed == "-" or least <= float(printed) <= greatest:
        return f"A draw: our {len(losses)} seeds give {loss_range}."
    if printed == "25.35":
        return f"A misprint for 23.35, most likely: our {len(losses)} seeds give {loss_range}."
    return f"Outside what our {len(losses)} seeds give, {loss_range}: the text leaves choices open."


def claims() -> Claims:
    """Check what the paper reads off Table 5."""
    return Claims(
        "Claims on Table 5",
        f"μ-Approx draws: the share of {len(SEEDS)} seeds for which a claim holds is given.",
        (
            _claim_ranking(),
            _claim_small_differences(),
            _claim_beats_mst(),
            _claim_on_eia(),
            *_claims_on_theorems(),
        ),
    )


def _claim_ranking() -> Claim:
    shares, n_holding, n_cases = [], 0, 0
    for name in ("tarragona", "census"):
        for k in KS:
            mdav, mst = (losses_of_run(name, method, k)[1] for method in ("mdav", "mst"))
            share = float(np.mean([mdav < mst < loss for loss in _sse_losses(name, k)]))
            shares.append(f"{name.capitalize()} k = {k}: {share:.0%}")
            n_holding, n_cases = n_holding + (share > 0.5), n_cases + 1
    return Claim(
        "On Tarragona and Census MDAV loses least, followed by M-d and then μ-Approx.",
        f"Share of seeds with this order: {'; '.join(shares)}.",
        n_holding == n_cases,
        "In print M-d loses less than MDAV on Tarragona at k = 3 (16.63 and 16.93), and μ-Approx"
        " less than M-d on Census at k = 10 (17.01 and 17.17).",
        holds_in_print=False,
    )


def _claim_small_differences() -> Claim:
    ratios = {
        (name, k): float(np.mean(_sse_losses(name, k))) / losses_of_run(name, "mdav", k)[1]
        for name in ("tarragona", "census")
        for k in KS
    }
    return Claim(
        "On these tables the differences between the three are quite small.",
        f"The mean loss of μ-Approx is {min(ratios.values()):.2f} to {max(ratios.values()):.2f}"
        " times that of MDAV.",
        max(ratios.values()) < 1.1,
        "They reach a fifth in print as well: 17.01 and 14.22 on Census at k = 10.",
        holds_in_print=False,
    )


def _claim_beats_mst() -> Claim:
    mst = losses_of_run("tarragona", "mst", 10)[1]
    losses = _sse_losses("tarragona", 10)
    share = float(np.mean([l_sse < mst for l_sse in losses]))
    return Claim(
        "On Tarragona at k = 10 μ-Approx loses less than M-d.",
        f"It does for {share:.0%} of the seeds: M-d loses {mst:.2f}, μ-Approx"
        f" {min(losses):.2f} to {max(losses):.2f}.",
        share > 0.5,
        "It depends on the draw.",
    )


def _claim_on_eia() -> Claim:
    shares = {
        k: float(
            np.mean([l_sse < losses_of_run("eia", "mdav", k)[1] for l_sse in _sse_losses("eia", k)])
        )
        for k in KS
    }
    text = ", ".join(f"{share:.0%} (k = {k})" for k, share in shares.items())
    return Claim(
        "On EIA μ-Approx clearly loses less than MDAV.",
        f"Share of seeds for which it does: {text}.",
        min(shares.values()) > 0.95,
    )


def _claims_on_theorems() -> tuple[Claim, Claim]:
    """Compare the factors of both theorems with the lower bounds that the neighbours prove."""
    criteria: tuple[Criterion, ...] = ("sse", "euclidean")
    worst = dict.fromkeys(criteria, 0.0)
    for name in ("tarragona", "census", "eia"):
        Z = np.ascontiguousarray(reference_table(name))
        for k in KS:
            for criterion in criteria:
                fitted = MuApprox(k=k, random_state=0, criterion=criterion).fit(Z)
                bound = (fitted.bound_ or 0.0) if criterion == "sse" else fitted.distance_bound_
                ratio = criterion_loss(Z, fitted.labels_, criterion) / bound
                worst[criterion] = max(worst[criterion], ratio)
    sentence = (
        "On three tables, k = 3, 4, 5 and 10, ours is at most {:.2f} times a proven lower bound."
    )
    return (
        Claim(
            "Theorem 1: the sum of distances is at most (2k - 1) max(2k - 1, 3k - 5) times the"
            " least.",
            f"{sentence.format(worst['euclidean'])} Not proven for our trees in general.",
            worst["euclidean"] < 25,
        ),
        Claim(
            "Theorem 2: the SSE is at most 2 (2k - 1) max(2k - 1, 3k - 5)² times the least.",
            f"{sentence.format(worst['sse'])} Not proven for our trees in general.",
            worst["sse"] < 250,
        ),
    )


PUBLISHED_TIMES = {"Tarragona": "about 1 s", "Census": "about 1 s", "EIA": "25 s"}


@stored("mu-approx-times")
def our_times() -> dict[str, float]:
    """Return the seconds that μ-Approx takes with k = 3."""
    return {
        name: timing.cpu_seconds(
            partial(group_labels, reference_table(name.lower()), "mu-approx", 3, random_state=0)
        )
        for name in PUBLISHED_TIMES
    }


def times() -> TextTable:
    """Return the running times."""
    paper_machine = (
        "The paper used a Pentium 4 of 3.06 GHz and does not say with which k; ours has k = 3."
    )
    return timing.times_table("Running times", paper_machine, PUBLISHED_TIMES, our_times())
