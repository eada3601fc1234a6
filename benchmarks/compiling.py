"""How long the first call of each method compiles, and which kernels that time goes to.

    python benchmarks/compiling.py                    five minutes; writes results/compiling.json
    python benchmarks/compiling.py --methods mdav

Each method runs in a fresh process with an empty cache, on a short table and on a long one,
since long tables need more kernels. The seconds of a kernel do not include those of the kernels it
calls. Users wait for this once; compiled code is kept.
"""

import argparse
import sys
import tempfile
import time
from collections import defaultdict

import harness
from generators import table

SHORT, LONG, WIDTH, K = 300, 12_000, 6, 3
PUBLISHED = harness.HERE / "results" / "compiling.json"


def record_compile_seconds():
    """Return a dict that collects the CPU seconds of every kernel that is compiled from now on."""
    from numba.core import event

    own_seconds, open_timers = defaultdict(float), []

    class Clock(event.Listener):
        def on_start(self, event):
            open_timers.append([time.process_time(), 0.0])

        def on_end(self, event):
            start, inner_seconds = open_timers.pop()
            seconds = time.process_time() - start
            function = event.data["dispatcher"].py_func
            kernel = f"{function.__module__.rpartition('.')[2]}.{function.__name__}"
            own_seconds[kernel] += seconds - inner_seconds
            if open_timers:
                open_timers[-1][1] += seconds

    event.register("numba:compile", Clock())
    return own_seconds


def measure(method):
    """Return the seconds that a method compiles, in a process with an empty cache."""
    from shoal.partitioners import METHODS

    own_seconds = record_compile_seconds()
    seconds = {}
    for length, n in {"short": SHORT, "long": LONG}.items():
        if method in ("optimal", "two-mu-approx"):
            n = 40
        X = table("clustered", n, 1 if method == "univariate" else WIDTH)
        METHODS[method](k=2 if method == "two-mu-approx" else K).fit(X)
        seconds[length] = round(sum(own_seconds.values()), 2)
    kernels = sorted(own_seconds.items(), key=lambda pair: -pair[1])
    return {
        "method": method,
        "short": seconds["short"],
        "long": seconds["long"],
        "kernels": {name: round(own, 2) for name, own in kernels if own >= 0.1},
    }


def main(arguments=None):
    """Measure every method and write the results."""
    sys.path.insert(0, str(harness.SOURCE))
    from shoal.partitioners import METHODS

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=list(METHODS))
    options = harness.parse(parser, arguments, PUBLISHED, measure)
    entries = []
    for method in options.methods:
        with tempfile.TemporaryDirectory() as empty:
            settings = {"NUMBA_CACHE_DIR": empty}
            entries += harness.run_cases(__file__, [{"method": method}], settings=settings)
        print(entries[-1], file=sys.stderr, flush=True)
        harness.save(options.output, entries)


if __name__ == "__main__":
    main()
