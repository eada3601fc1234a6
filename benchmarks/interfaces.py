"""The cost of a whole release, stage by stage: frames and files.

    python benchmarks/interfaces.py                   n = 100,000 and 1,000,000; a few minutes
    python benchmarks/interfaces.py -n 100000 --output interfaces.json

A table of 13 clustered columns to mask and 2 confidential ones is masked by
``shoal.microaggregate`` as a pandas frame, and by ``shoal mask`` as a CSV file, with MDAV and
k = 10. A profiler measures the CPU time of each stage; peak memory is given as a multiple of the
numbers in the table (8 bytes each). Compiled code is warm. The last two lines measure start-up:
``import shoal`` and ``shoal --help`` in fresh processes.
"""

import argparse
import cProfile
import os
import pstats
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import harness
from generators import table

LENGTHS = [100_000, 1_000_000]
WIDTH, N_CONFIDENTIAL, K = 13, 2, 10
WARM_KS = 3, 50  # k with which 10,000 records are grouped by an index, and by passes
NAMES = [f"x{j}" for j in range(WIDTH)]
CONFIDENTIAL = [f"y{j}" for j in range(N_CONFIDENTIAL)]
PUBLISHED = harness.HERE / "results" / "interfaces.json"

# Stage -> the function that does it: file below src/shoal, and name.
STAGES = {
    "reading": ("io/files.py", "open_source"),
    "parsing further columns": ("io/source.py", "table_with_numbers"),
    "grouping": ("partitioners/_base.py", "fit"),
    "masking, without grouping": ("steps/microaggregate.py", "apply"),
    "checking the guarantee": ("plan/guarantees.py", "check_guarantees"),
    "measuring": ("metrics/assessment/frames.py", "assess_frames"),
    "aggregating for figures": ("plan/profile/release_profile.py", "profile"),
    "writing": ("io/target.py", "write"),
}


def frame(n):
    """Return the table as a pandas frame."""
    import pandas as pd

    return pd.DataFrame(
        table("clustered", n, WIDTH + N_CONFIDENTIAL), columns=[*NAMES, *CONFIDENTIAL]
    )


def function_run(n):
    """Return a function that masks a frame."""
    import shoal

    data = frame(n)
    for k in WARM_KS:
        shoal.microaggregate(data[:10_000], NAMES, k=k, method="mdav", confidential=CONFIDENTIAL)
    return lambda: shoal.microaggregate(data, NAMES, k=K, method="mdav", confidential=CONFIDENTIAL)


def file_run(n):
    """Return a function that masks a CSV file by the code of the command line."""
    from shoal.cli import app

    folder = Path(tempfile.mkdtemp())
    source, target = folder / "in.csv", folder / "out.csv"
    columns = [word for name in NAMES for word in ("-c", name)]
    columns += [word for name in CONFIDENTIAL for word in ("--confidential", name)]

    def mask(k=K):
        command = ["mask", str(source), str(target), "--force", "--quiet", "--method", "mdav"]
        app([*command, "-k", str(k), *columns], standalone_mode=False)

    frame(10_000).to_csv(source, index=False)
    for k in WARM_KS:
        mask(k)
    frame(n).to_csv(source, index=False)
    return mask


INTERFACES = {"frame": function_run, "file": file_run}


def measure(interface, n):
    """Return the CPU seconds of each stage."""
    run = INTERFACES[interface](n)
    profile = cProfile.Profile(time.process_time)
    _, seconds, extra_bytes = harness.time_run(lambda: profile.runcall(run), repeats=0)
    stats = pstats.Stats(profile).stats
    stage_seconds = {}
    for stage, (file, name) in STAGES.items():
        stage_seconds[stage] = max(
            (entry[3] for key, entry in stats.items() if key[0].endswith(file) and key[2] == name),
            default=0.0,
        )
    stage_seconds["masking, without grouping"] -= stage_seconds["grouping"]
    memory = None
    if extra_bytes is not None:
        memory = round(extra_bytes / (8 * n * (WIDTH + N_CONFIDENTIAL)) + (interface == "frame"), 2)
    return {
        "interface": interface, "n": n, "p": WIDTH, "confidential": N_CONFIDENTIAL, "k": K,
        "cpu_seconds": round(seconds, 3),
        "stages": {stage: round(own, 3) for stage, own in stage_seconds.items() if own},
        "memory": memory,
    }  # fmt: skip


def start_up_seconds(arguments):
    """Return the CPU seconds of a fresh process, the least of several."""
    environment = {**os.environ, **harness.SINGLE_CORE}
    least = float("inf")
    for _ in range(5):
        before = os.times()
        subprocess.run(
            [sys.executable, *arguments], env=environment, capture_output=True, check=True
        )
        after = os.times()
        seconds = after.children_user + after.children_system
        least = min(least, seconds - before.children_user - before.children_system)
    return round(least, 3)


def main(arguments=None):
    """Measure the interfaces and save the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-n", type=int, nargs="+", default=LENGTHS)
    parser.add_argument(
        "--interfaces", nargs="+", default=list(INTERFACES), choices=list(INTERFACES)
    )
    options = harness.parse(parser, arguments, PUBLISHED, measure)
    entries = [
        {"opening": "python -c pass", "cpu_seconds": start_up_seconds(["-c", "pass"])},
        {"opening": "import shoal", "cpu_seconds": start_up_seconds(["-c", "import shoal"])},
        {"opening": "shoal --help", "cpu_seconds": start_up_seconds(["-m", "shoal", "--help"])},
    ]
    for n in options.n:
        for interface in options.interfaces:
            entries += harness.run_cases(__file__, [{"interface": interface, "n": n}], settings={})
            print(entries[-1], file=sys.stderr, flush=True)
            harness.save(options.output, entries)


if __name__ == "__main__":
    main()
