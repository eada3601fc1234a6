"""Formulas of the site as MathML, which browsers show without scripts."""

from typing import Any

from docutils import nodes
from latex2mathml.converter import convert


def add_to(app: Any) -> None:
    """Let Sphinx write formulas as MathML."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))


def _inline(translator: Any, node: nodes.math) -> None:
    translator.body.append(convert(node.astext()))
    raise nodes.SkipNode


def _block(translator: Any, node: nodes.math_block) -> None:
    translator.body.append(f"<p>{convert(node.astext(), display='block')}</p>\n")
    raise nodes.SkipNode
