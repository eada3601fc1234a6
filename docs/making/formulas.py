"""Formulas of the site as MathML, which browsers show without scripts."""

import re
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert

# A prime is a small raised sign by itself; as a superscript it would be too small to be read.
PRIME = "<mi>&#x02032;</mi>"
PRIMED = re.compile(rf"<(msup|msubsup)>((?:(?!<msu).)*?){PRIME}</\1>")


def add_to(app: Any) -> None:
    """Let Sphinx write formulas as MathML."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))


def to_mathml(formula: str, **options: str) -> str:
    """Return a formula in LaTeX as MathML, with primes of the size of letters."""
    return PRIMED.sub(_letter_and_prime, str(convert(formula, **options)))


def _letter_and_prime(match: re.Match[str]) -> str:
    kind, letter = match.groups()
    return f"<mrow>{f'<msub>{letter}</msub>' if kind == 'msubsup' else letter}{PRIME}</mrow>"


def _inline(translator: Any, node: nodes.math) -> None:
    translator.body.append(to_mathml(node.astext()))
    raise nodes.SkipNode


def _block(translator: Any, node: nodes.math_block) -> None:
    translator.body.append(f"<p>{to_mathml(node.astext(), display='block')}</p>\n")
    raise nodes.SkipNode
