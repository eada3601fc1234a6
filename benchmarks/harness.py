"""What all benchmarks share: the machine, CPU time, peak memory, processes, results.

It needs only the standard library and numpy, so that the environments of rivals can use it too.
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
REPEATS = 4  # further runs of short ones; the least of all times counts

SINGLE_CORE = {  # environment variables
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONPATH": f"{SOURCE}{os.pathsep}{HERE}",
}
# Without this, freed memory is kept, and the peak of one run shows in the next.
RETURN_FREED_MEMORY = {"MALLOC_MMAP_THRESHOLD_": "100000"}


@cache
def commit():
    """Return the commit that is measured, with a plus if the sources differ from it."""

    def git(*arguments):
        result = subprocess.run(["git", "-C", HERE, *arguments], capture_output=True, text=True)
        return result.stdout.strip()

    has_changes = git("status", "--porcelain", "--", SOURCE, *HERE.glob("*.py"))
    return git("rev-parse", "--short", "HEAD") + ("+" if has_changes else "")


def parse(parser, arguments, published, measure):
    """Return the options of a benchmark, with ``--output``.

    A worker process, which `run_cases` starts with ``--worker``, measures and ends here.
    """
    parser.add_argument("--output", type=Path, default=published)
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.worker:
        serve_cases(measure)
        raise SystemExit
    return options


def machine():
    """Return the machine and the software that the figures depend on."""
    model = ""
    if Path("/proc/cpuinfo").exists():
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next(
            (line.split(":")[1].strip() for line in lines if line.startswith("model name")), ""
        )
    return {
        "commit": commit(),
        "processor": model or platform.processor(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }


def peak_memory(*, reset=False):
    """Return the peak memory of this process in bytes, or None; ``reset`` starts a new peak."""
    status = Path("/proc/self/status")
    if not status.exists():
        return None if reset else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    if reset:
        Path("/proc/self/clear_refs").write_text("5")
    lines = status.read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


def time_run(run, *, repeats=REPEATS):
    """Run once, or several times if short; return the result, CPU seconds and extra peak bytes."""
    memory_before = peak_memory(reset=True)
    start = time.process_time()
    result = run()
    seconds = time.process_time() - start
    extra_bytes = None if memory_before is None else max(peak_memory() - memory_before, 0)
    for _ in range(repeats if seconds < REPEAT_BELOW else 0):
        start = time.process_time()
        run()
        seconds = min(seconds, time.process_time() - start)
    return result, seconds, extra_bytes


def loss(X, labels):
    """Return 100 * SSE / SST of z-scores."""
    sizes = np.bincount(labels)
    within = 0.0
    for column in X.T:
        means = np.bincount(labels, column) / sizes
        within += ((column - means[labels]) ** 2).sum()
    return 100 * within / X.size


def run_cases(script, cases, *, python=sys.executable, settings=RETURN_FREED_MEMORY):
    """Run ``script`` as a worker process; yield what it measures for each case."""
    process = subprocess.Popen(
        [python, script, "--worker"],
        env={**os.environ, **SINGLE_CORE, **settings},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        process.stdin.write("".join(json.dumps(case) + "\n" for case in cases))
        process.stdin.close()
        for line in process.stdout:
            yield json.loads(line)


def serve_cases(measure):
    """Read cases from the standard input and print what ``measure`` returns for each."""
    for line in sys.stdin:
        print(json.dumps(measure(**json.loads(line))), flush=True)


def load(path):
    """Return the measurements in a file; none if it does not exist."""
    return json.loads(path.read_text())["measurements"] if path.exists() else []


def save(path, measurements, **notes):
    """Write measurements, one line each so that diffs are readable; replace the file at once."""
    header = json.dumps({"machine": machine(), **notes}, indent=1)[:-2]
    body = ",\n".join("  " + json.dumps(entry) for entry in measurements)
    temporary = path.with_suffix(".part")
    temporary.write_text(f'{header},\n "measurements": [\n{body}\n ]\n}}\n')
    temporary.replace(path)
