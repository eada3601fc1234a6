"""The styles of the report for one element of another page, such as the output of a notebook."""

import re
from functools import cache

from shoal.report.html import page
from shoal.report.palette import DARK, LIGHT

CLASS = "shoal-output"
# The id gives the rules precedence over the rules of the page.
PREFIX = f":is(.{CLASS}, #{CLASS})"
# How notebooks and the guide mark their theme; otherwise the theme of the system is used.
LIGHT_PAGES = ('[data-jp-theme-light="true"]', '[data-theme="light"]', ".vscode-light")
DARK_PAGES = (
    '[data-jp-theme-light="false"]', '[data-theme="dark"]', '[theme="dark"]', ".vscode-dark",
    ".vscode-high-contrast:not(.vscode-high-contrast-light)",
)  # fmt: skip
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")


@cache
def scoped_styles() -> str:
    """Return the styles of parts and figures, for elements of class `CLASS` only."""
    rules = "\n".join(map(page, ("parts.css", "picture.css", "notebook.css")))
    return "\n".join([_themes(), scoped(rules)])


def scoped(css: str) -> str:
    """Return flat rules that apply only inside elements of class `CLASS`.

    The selector ``:scope`` is the element itself. Sizes are relative to its font, not to the font
    of the page.

    Examples
    --------
    >>> print(scoped(".note { margin: 1rem; } :scope { color: red; }"))
    :is(.shoal-output, #shoal-output) .note{margin: 1em;}
    :is(.shoal-output, #shoal-output){color: red;}
    """
    if "@" in css:
        raise ValueError("Only flat rules can be scoped.")
    rules = []
    for selectors, body in _RULE.findall(css):
        names = [name.strip() for name in selectors.split(",")]
        scoped_selectors = [
            name.replace(":scope", PREFIX) if name.startswith(":scope") else f"{PREFIX} {name}"
            for name in names
        ]
        body = re.sub(r"(?<=\d)rem\b", "em", body.strip())
        rules.append(f"{','.join(scoped_selectors)}{{{body}}}")
    return "\n".join(rules)


def _themes() -> str:
    """Return the colours of outputs, by the theme of the notebook or the system."""
    light, dark = (
        "color-scheme: {}; {}".format(scheme, " ".join(f"--{n}: {v};" for n, v in colours.items()))
        for scheme, colours in (("light", LIGHT), ("dark", DARK))
    )
    return "\n".join(
        [
            f".{CLASS}{{{light}}}",
            f"@media screen and (prefers-color-scheme: dark){{.{CLASS}{{{dark}}}}}",
            f":is({', '.join(LIGHT_PAGES)}) .{CLASS}{{{light}}}",
            f"@media screen{{:is({', '.join(DARK_PAGES)}) .{CLASS}{{{dark}}}}}",
        ]
    )
