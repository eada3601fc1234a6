"""What a whole release takes, stage by stage: frames and files.

    python benchmarks/doors.py                        n = 100,000 and 1,000,000; a few minutes
    python benchmarks/doors.py -n 100000 --output doors.json

A table of 13 clustered columns to mask and 2 confidential ones goes through
``shoal.microaggregate`` as a pandas frame, and through ``shoal mask`` as a CSV file, with MDAV
and k = 10. A profiler that counts CPU time says what each stage took; peak memory is told as a
multiple of the numbers in the table (8 bytes each). Compiled code is warm. The last two lines
are what opening the doors costs: ``import shoal`` and ``shoal --help`` in fresh processes.
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
WIDTH, CONFIDENTIAL, K = 13, 2, 10
WARM = 3, 50  # with the one, 10,000 records get an index; with the other, passes
NAMES = [f"x{j}" for j in range(WIDTH)]
SECRETS = [f"y{j}" for j in range(CONFIDENTIAL)]
PUBLISHED = harness.HERE / "results" / "doors.json"

# Stage -> the function it ends in: file and name, as the profiler calls them.
STAGES = {
    "reading": ("io/files.py", "open_source"),
    "more columns as numbers": ("table/source.py", "with_numbers"),
    "grouping": ("partitioners/_base.py", "fit"),
    "masking, grouping left out": ("mask/microaggregate.py", "apply"),
    "counting the promise": ("promise.py", "check_promise"),
    "measuring": ("assessment.py", "assess_frames"),
    "counting for pictures": ("profile.py", "profile"),
    "writing": ("table/target.py", "write"),
}


def frame(n):
    """Return the table as a pandas frame."""
    import pandas as pd

    return pd.DataFrame(table("clustered", n, WIDTH + CONFIDENTIAL), columns=[*NAMES, *SECRETS])


def through_function(n):
    """Return a function that masks a frame."""
    import shoal

    data = frame(n)
    for k in WARM:
        shoal.microaggregate(data[:10_000], NAMES, k=k, method="mdav", confidential=SECRETS)
    return lambda: shoal.microaggregate(data, NAMES, k=K, method="mdav", confidential=SECRETS)


def through_file(n):
    """Return a function that masks a CSV file by the command line's own code."""
    from shoal.cli import app

    folder = Path(tempfile.mkdtemp())
    source, target = folder / "in.csv", folder / "out.csv"
    words = [word for name in NAMES for word in ("-c", name)]
    words += [word for name in SECRETS for word in ("--confidential", name)]

    def mask(k=K):
        done = ["mask", str(source), str(target), "--force", "--quiet", "--method", "mdav"]
        app([*done, "-k", str(k), *words], standalone_mode=False)

    frame(10_000).to_csv(source, index=False)
    for k in WARM:
        mask(k)
    frame(n).to_csv(source, index=False)
    return mask


DOORS = {"frame": through_function, "file": through_file}


def measure(door, n):
    """Return what each stage took."""
    run = DOORS[door](n)
    profile = cProfile.Profile(time.process_time)
    _, seconds, grown = harness.timed(lambda: profile.runcall(run), repeats=0)
    stats = pstats.Stats(profile).stats
    found = {}
    for stage, (file, name) in STAGES.items():
        found[stage] = max(
            (entry[3] for key, entry in stats.items() if key[0].endswith(file) and key[2] == name),
            default=0.0,
        )
    found["masking, grouping left out"] -= found["grouping"]
    size = 8 * n * (WIDTH + CONFIDENTIAL)
    return {
        "door": door, "n": n, "p": WIDTH, "confidential": CONFIDENTIAL, "k": K,
        "cpu_seconds": round(seconds, 3),
        "stages": {stage: round(took, 3) for stage, took in found.items() if took},
        "memory": None if grown is None else round(grown / size + (door == "frame"), 2),
    }  # fmt: skip


def opening(words):
    """Return the CPU seconds of a fresh process, the least of several."""
    environment = {**os.environ, **harness.ALONE}
    least = float("inf")
    for _ in range(5):
        before = os.times()
        subprocess.run([sys.executable, *words], env=environment, capture_output=True, check=True)
        after = os.times()
        spent = after.children_user + after.children_system
        least = min(least, spent - before.children_user - before.children_system)
    return round(least, 3)


def main(words=None):
    """Measure the doors and keep what they took."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-n", type=int, nargs="+", default=LENGTHS)
    parser.add_argument("--doors", nargs="+", default=list(DOORS), choices=list(DOORS))
    parser.add_argument("--output", type=Path, default=PUBLISHED)
    parser.add_argument("--answer", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(words)
    if options.answer:
        harness.answer(measure)
        return
    found = [
        {"opening": "python -c pass", "cpu_seconds": opening(["-c", "pass"])},
        {"opening": "import shoal", "cpu_seconds": opening(["-c", "import shoal"])},
        {"opening": "shoal --help", "cpu_seconds": opening(["-m", "shoal", "--help"])},
    ]
    for n in options.n:
        for door in options.doors:
            found += harness.answers(__file__, [{"door": door, "n": n}], settings={})
            print(found[-1], file=sys.stderr, flush=True)
            harness.save(options.output, found)


if __name__ == "__main__":
    main()
