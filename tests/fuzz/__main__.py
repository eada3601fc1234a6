"""``python -m fuzz``: many runs, their counts as JSON, and every failure with its command."""

import argparse
import json
import math
import os
import sys
import time
from pathlib import Path

from fuzz.case import draw_case
from fuzz.run import Result, Tally, describe, run_one
from fuzz.workers import Workers


def main() -> int:
    """Run the fuzzer; return 1 where a run failed."""
    options = _options()
    if options.run is not None:
        print(describe(draw_case(options.seed, options.run)))
        result = run_one(options.seed, options.run)
        print("\n".join([f"outcome: {result.outcome}", *result.problems]))
        return 1 if result.problems else 0
    runs = options.runs if options.runs or options.seconds else 1000
    tally, began = Tally(), time.time()

    def handle(result: Result) -> None:
        tally.add(result)
        if result.problems:
            print(f"{tally.failures[-1]['repeat']}: {result.problems[0][:300]}", flush=True)

    jobs = options.jobs or os.cpu_count() or 1
    workers = Workers(options.seed, options.start, runs, options.seconds or math.inf, jobs)
    try:
        workers.each(handle)
    except KeyboardInterrupt:
        workers.stop()
    seconds = time.time() - began
    summary = {"seed": options.seed, "start": options.start, "seconds": round(seconds, 1),
               "jobs": jobs, **tally.to_dict()}  # fmt: skip
    if options.json is not None:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(summary, indent=2) + "\n", encoding="utf-8")
    outcomes = ", ".join(f"{count} {name}" for name, count in sorted(tally.outcomes.items()))
    print(f"{tally.runs} runs in {seconds:.0f} s ({outcomes}); {len(tally.failures)} failures")
    return 1 if tally.failures else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("--seed", type=int, default=0, help="seed of all runs")
    parser.add_argument("--start", type=int, default=0, help="number of the first run")
    parser.add_argument("--runs", type=int, help="how many runs; 1000 where no time is given")
    parser.add_argument("--seconds", type=float, help="begin no run after this time")
    parser.add_argument("--jobs", type=int, help="number of processes; one per core")
    parser.add_argument("--run", type=int, help="show and do this run alone")
    parser.add_argument("--json", type=Path, help="file for the counts")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
