"""Formulas of the site as MathML, which browsers show without scripts."""

import re
from html import escape
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert

PRIME = "<mi>&#x02032;</mi>"
PRIMED = re.compile(rf"<(msup|msubsup)>((?:(?!<msu).)*?){PRIME}</\1>")
INDEX = re.compile(r"(<mrow>(?:(?!<mrow>).)*</mrow>|<m[in]>[^<]*</m[in]>)$")
FUNCTION = re.compile(r"(</mo>)?(<m(?:sub|under)>)?<m[io]>(exp|ln|log|max|min)</m[io]>(<mo)?")
BAR = r"&#x0(?:007C|2016);|\|"
DOTS = "&#x0(?:002E|002F|2026);"  # and the slash
OPENING = r"<mo[^>]*>(?:&#x00028;|\(|\[)</mo>"
# Spaces that browsers would take from the place of a sign in its row, and often take wrongly.
SPACES = (
    (re.compile(rf"<mo>({BAR})</mo>"), r'<mo stretchy="false">\1</mo>'),
    (re.compile(rf"<mo([^>]*)>({BAR}|{DOTS})</mo>"), r'<mo\1 lspace="0" rspace="0">\2</mo>'),
    (re.compile("<mi>:</mi>"), '<mo lspace="0.28em" rspace="0.28em">:</mo>'),
    (re.compile(rf"({OPENING})<mo>(?=&#x02212;)"), r'\1<mo form="prefix">'),
)


def add_to(app: Any) -> None:
    """Let Sphinx write formulas as MathML."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))


def to_mathml(formula: str, **options: str) -> str:
    """Return a formula in LaTeX as MathML, with primes of the size of letters."""
    text = FUNCTION.sub(_function, PRIMED.sub(_letter_and_prime, str(convert(formula, **options))))
    for sign, spaced in SPACES:
        text = sign.sub(spaced, text)
    return text


def _letter_and_prime(match: re.Match[str]) -> str:
    """Return a letter and its prime, which would be too small to be read as a superscript."""
    kind, letter = match.groups()
    index = INDEX.search(letter) if kind == "msubsup" else None
    if index is None:
        return f"<mrow>{letter}{PRIME}</mrow>"
    return f"<msub><mrow>{letter[: index.start()]}{PRIME}</mrow>{index[1]}</msub>"


def _function(match: re.Match[str]) -> str:
    """Return the name of a function with a thin space where it follows or precedes a letter."""
    sign, script, name, bracket = match.groups(default="")
    before = 0 if sign else "0.17em"
    after = 0 if bracket else "0.17em"
    spaces = f'form="prefix" lspace="{before}" rspace="{after}"'
    return f"{sign}{script}<mo {spaces}>{name}</mo>{bracket}"


def _inline(translator: Any, node: nodes.math) -> None:
    text = to_mathml(node.astext())
    if _is_whole_heading(node):
        spoken = re.sub(r"[\\{}_^$]+", " ", node.astext()).strip()
        text = text.replace("<math ", f'<math aria-label="{escape(spoken)}" ', 1)
    translator.body.append(text)
    raise nodes.SkipNode


def _is_whole_heading(node: nodes.math) -> bool:
    """Return whether a formula is all that the heading of a column says.

    Not every screen reader reads formulas, and a column needs a name.
    """
    cell = node.parent.parent
    in_head = isinstance(cell, nodes.entry) and isinstance(cell.parent.parent, nodes.thead)
    return in_head and len(node.parent) == len(cell) == 1


def _block(translator: Any, node: nodes.math_block) -> None:
    translator.body.append(f"<p>{to_mathml(node.astext(), display='block')}</p>\n")
    raise nodes.SkipNode
