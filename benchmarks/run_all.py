"""Run all benchmarks behind docs/speed.md, costs.md and choose/index.md, and fill the pages.

    make benchmarks                                   less than half an hour on a quiet machine
    python benchmarks/run_all.py --only interfaces    a part; the pages are filled in any case

Each part is a benchmark, run in its own process, one after the other: they measure CPU time, and
parallel runs would share the cache. An interrupted run continues where it stopped, as long as the
commit is the same. Other packages are not measured again, since they need environments of their own
(`rivals.py`).
"""

import argparse
import subprocess
import sys
import time

import harness

PARTS = {
    "speed": [["speed.py", "--cut"], ["speed.py", "--wide"], ["neighbours.py"]],
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


def run(command):
    """Run a benchmark and return the seconds that it took; exit if it fails."""
    began = time.perf_counter()
    script, *options = command
    result = subprocess.run([sys.executable, str(harness.HERE / script), *options])
    if result.returncode:
        sys.exit(f"{script} failed; the pages are unchanged.")
    return time.perf_counter() - began


def main(arguments=None):
    """Run the given parts, then fill the pages."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", default=list(PARTS), choices=list(PARTS))
    parser.add_argument("--uncommitted", action="store_true", help="measure uncommitted sources")
    options = parser.parse_args(arguments)
    if harness.commit().endswith("+") and not options.uncommitted:
        sys.exit(
            "The sources differ from the last commit: commit them first, or use --uncommitted."
        )
    for part in options.only:
        minutes = sum(run(step) for step in PARTS[part]) / 60
        print(f"{part}: {minutes:.1f} minutes", file=sys.stderr, flush=True)
    for step in PAGES:
        run(step)


if __name__ == "__main__":
    main()
