"""Accessibility of a page in a real browser, by the rules of axe-core (WCAG and good practice)."""

from collections.abc import Iterable, Mapping
from typing import Any

from axe_playwright_python.base import AXE_SCRIPT

# Only violations are computed; frames are tested as pages of their own.
RUN = """async (rules) => {
  const result = await axe.run(document, {resultTypes: ["violations"], iframes: false, rules});
  return result.violations.map((rule) => [
    rule.id,
    rule.nodes.map((node) => [node.target.join(" "), node.failureSummary].join(": ")),
  ]);
}"""


def violations(page: Any, without: Iterable[str] = ()) -> Mapping[str, list[str]]:
    """Return the rules that a page of Playwright violates, each with the elements that do.

    ``without`` names rules that do not apply to the page.
    """
    if not page.evaluate("typeof axe === 'object'"):
        page.evaluate(AXE_SCRIPT)
    rules = {name: {"enabled": False} for name in without}
    return dict(page.evaluate(RUN, rules))
