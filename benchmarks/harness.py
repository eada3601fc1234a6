"""What all benchmarks share: the machine, CPU time, peak memory, processes, results.

Only the standard library and numpy, so that the rivals' environments can use it too.
"""

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import time
from functools import cache
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent / "src"
REPEAT_BELOW = 1.0  # seconds
REPEATS = 4  # further runs of what is short; the least of all counts

ALONE = {  # one core
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONPATH": f"{SOURCE}{os.pathsep}{HERE}",
}
# Freed memory is given back, not kept: else the peak of one run shows in the next.
TIDY = {"MALLOC_MMAP_THRESHOLD_": "100000"}


@cache
def commit():
    """Return the commit that is measured, with a plus if the sources differ from it."""

    def git(*words):
        done = subprocess.run(["git", "-C", HERE, *words], capture_output=True, text=True)
        return done.stdout.strip()

    changed = git("status", "--porcelain", "--", SOURCE, *HERE.glob("*.py"))
    return git("rev-parse", "--short", "HEAD") + ("+" if changed else "")


def parse(parser, words, published, measure):
    """Return the options of a benchmark, with ``--output``.

    A child process, which `answers` starts with ``--answer``, measures and ends here.
    """
    parser.add_argument("--output", type=Path, default=published)
    parser.add_argument("--answer", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(words)
    if options.answer:
        answer(measure)
        raise SystemExit
    return options


def machine():
    """Return what the figures depend on."""
    model = ""
    if Path("/proc/cpuinfo").exists():
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next((x.split(":")[1].strip() for x in lines if x.startswith("model name")), "")
    return {
        "commit": commit(),
        "processor": model or platform.processor(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }


def peak_memory(*, forget=False):
    """Return the most bytes this process held, or None; forget first what it held before."""
    status = Path("/proc/self/status")
    if not status.exists():
        return None if forget else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    if forget:
        Path("/proc/self/clear_refs").write_text("5")
    lines = status.read_text().splitlines()
    return 1024 * next(int(x.split()[1]) for x in lines if x.startswith("VmHWM"))


def timed(run, *, repeats=REPEATS):
    """Run once or several times; return the result, CPU seconds and bytes beyond those before."""
    before = peak_memory(forget=True)
    start = time.process_time()
    result = run()
    seconds = time.process_time() - start
    grown = None if before is None else max(peak_memory() - before, 0)
    for _ in range(repeats if seconds < REPEAT_BELOW else 0):
        start = time.process_time()
        run()
        seconds = min(seconds, time.process_time() - start)
    return result, seconds, grown


def loss(X, labels):
    """Return the share of the variation that group means lose, in per cent of z-scores."""
    sizes = np.bincount(labels)
    within = 0.0
    for column in X.T:
        means = np.bincount(labels, column) / sizes
        within += ((column - means[labels]) ** 2).sum()
    return 100 * within / X.size


def answers(script, cases, *, python=sys.executable, settings=TIDY):
    """Yield what ``script`` prints for each case, one JSON line each, in a process of its own."""
    process = subprocess.Popen(
        [python, script, "--answer"],
        env={**os.environ, **ALONE, **settings},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        process.stdin.write("".join(json.dumps(case) + "\n" for case in cases))
        process.stdin.close()
        for line in process.stdout:
            yield json.loads(line)


def answer(measure):
    """Read cases from the standard input and print what ``measure`` says of each."""
    for line in sys.stdin:
        print(json.dumps(measure(**json.loads(line))), flush=True)


def load(path):
    """Return the results kept in a file, or none."""
    return json.loads(path.read_text())["measurements"] if path.exists() else []


def save(path, measurements, **notes):
    """Keep results: one line each, so that a difference can be read; whole or not at all."""
    head = json.dumps({"machine": machine(), **notes}, indent=1)[:-2]
    body = ",\n".join("  " + json.dumps(entry) for entry in measurements)
    part = path.with_suffix(".part")
    part.write_text(f'{head},\n "measurements": [\n{body}\n ]\n}}\n')
    part.replace(path)
