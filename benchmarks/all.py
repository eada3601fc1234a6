"""Measure all that docs/speed.md, costs.md and choose/index.md tell, and fill the pages.

    make benchmarks                                   less than half an hour on a quiet machine
    python benchmarks/all.py --only interfaces       some of it; the pages are filled in any case

Each part is a benchmark of its own, run in a process of its own, one after the other: they
measure CPU time, and a neighbour costs cache. A run that was broken off goes on where it
stopped, as long as the commit is the same. The other packages are not run anew: they need
environments of their own (`rivals.py`).
"""

import argparse
import subprocess
import sys
import time

import harness

PARTS = {
    "speed": [["speed.py", "--cut"], ["speed.py", "--wide"]],
    "attacks": [["attacks.py"]],
    "costs": [["costs.py", "-n", "10000"], ["costs.py", "-n", "100000", "--kinds", "clustered"]],
    "compiling": [["compiling.py"]],
    "interfaces": [["interfaces.py"]],
    "choose": [["choose.py"]],
}
PAGES = [
    ["speed.py", "--plot", str(harness.HERE.parent / "docs" / "pictures" / "growth.svg")],
    ["published.py"],
]


def run(words):
    """Run a benchmark, or stop with it; return the seconds that it took."""
    began = time.perf_counter()
    script, *options = words
    done = subprocess.run([sys.executable, str(harness.HERE / script), *options])
    if done.returncode:
        sys.exit(f"{script} stopped: the pages are as they were.")
    return time.perf_counter() - began


def main(words=None):
    """Run the parts asked for, then fill the pages."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", default=list(PARTS), choices=list(PARTS))
    parser.add_argument(
        "--uncommitted", action="store_true", help="measure a text that has no commit"
    )
    options = parser.parse_args(words)
    if harness.commit().endswith("+") and not options.uncommitted:
        sys.exit(
            "The sources differ from the last commit: commit them first, or say --uncommitted."
        )
    for part in options.only:
        minutes = sum(run(step) for step in PARTS[part]) / 60
        print(f"{part}: {minutes:.1f} minutes", file=sys.stderr, flush=True)
    for step in PAGES:
        run(step)


if __name__ == "__main__":
    main()
