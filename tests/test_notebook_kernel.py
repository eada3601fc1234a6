"""Shoal in the kernel of a notebook: progress bars, interrupts and figures."""

import os
import sys
from pathlib import Path

import pytest
from jupyter_client.manager import start_new_kernel

ROOT = Path(__file__).parents[1]
SLOW_FUNCTION = """
import time
from shoal import _progress as progress

@progress.shows_progress
def work():
    for i in range(20):
        progress.report("comparing", i, 20)
        time.sleep(0.05)
    return "done"
"""


@pytest.fixture(scope="module")
def kernel():
    """Start a kernel, yield its client, and stop it."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), *sys.path])}
    manager, client = start_new_kernel(kernel_name="python3", env=env, startup_timeout=600)
    client.manager = manager
    yield client
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def run(kernel, code, on_display=lambda: None):
    """Run code in the kernel; return the reply and the messages with outputs."""
    messages = []

    def listen(message):
        messages.append(message)
        if message["msg_type"] == "display_data":
            on_display()

    reply = kernel.execute_interactive(code, output_hook=listen, timeout=600)
    return reply["content"], messages


def displayed(messages, media_type="text/html"):
    """Return the displayed outputs of one type, in order."""
    kinds = ("display_data", "update_display_data", "execute_result")
    return [
        message["content"]["data"].get(media_type)
        for message in messages
        if message["msg_type"] in kinds
    ]


def test_a_bar_is_shown_and_removed(kernel):
    reply, messages = run(kernel, SLOW_FUNCTION + "work()")
    assert reply["status"] == "ok"
    *bars, last, result = displayed(messages)
    assert bars
    assert all('<progress max="100"' in bar and "Comparing" in bar for bar in bars)
    assert (last, result) == ("", None)
    assert displayed(messages, "text/plain")[-1] == "'done'"


@pytest.mark.parametrize(
    "code", ["with shoal.show_progress(False): work()", "with progress.reporting_to(print): work()"]
)
def test_no_bar_is_shown_if_it_is_disabled_or_another_interface_listens(kernel, code):
    reply, messages = run(kernel, f"{SLOW_FUNCTION}\nimport shoal\n{code}")
    assert reply["status"] == "ok"
    assert not displayed(messages)


def test_an_interrupt_ends_the_computation_and_not_the_kernel(kernel):
    # A bar without delay and minutes of work, so that the interrupt comes during the work.
    run(kernel, "import numpy as np, shoal\nfrom shoal import _progress_bars")
    run(kernel, "X = np.random.default_rng(0).normal(size=(600_000, 8))")
    run(kernel, "shoal.partition(X[:20_000], 3, 'mdav')")  # compiles, before the interrupt
    run(kernel, "delay, _progress_bars.DELAY = _progress_bars.DELAY, 0")
    interrupts = []

    def interrupt():
        interrupts.append(1)
        kernel.manager.interrupt_kernel()

    reply, messages = run(kernel, "shoal.partition(X, 3, 'mdav')", interrupt)
    assert interrupts
    assert (reply["status"], reply["ename"]) == ("error", "KeyboardInterrupt")
    assert displayed(messages)[-1] == ""
    run(kernel, "_progress_bars.DELAY = delay")
    reply, messages = run(kernel, "len(shoal.partition(X[:20], 3, 'mdav').labels)")
    assert displayed(messages, "text/plain")[-1] == "20"  # a bar may come before it


def test_figures_and_objects_are_results_of_a_cell(kernel):
    code = """
import sys, warnings
import shoal
warnings.simplefilter("ignore")
release = shoal.microaggregate(shoal.datasets.sme(), ["surface", "employees"], k=3, method="mdav")
"""
    run(kernel, code)
    _, messages = run(kernel, "release.plot()")
    assert displayed(messages, "image/png")[0]
    _, messages = run(kernel, "release")
    assert 'class="shoal-output"' in displayed(messages)[0]
    _, messages = run(kernel, "'matplotlib.pyplot' in sys.modules")
    assert displayed(messages, "text/plain") == ["False"]
