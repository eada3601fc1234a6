"""The colours of reports, figures and plots, as ``templates/colours.css`` defines them."""

import re
from importlib.resources import files

_TEXT = (files("shoal.report") / "templates" / "colours.css").read_text(encoding="utf-8")
_LIGHT, _DARK = (
    dict(re.findall(r"--(\w+):\s*(#[0-9a-f]{6})", block)) for block in _TEXT.split("@media")
)
LIGHT: dict[str, str] = _LIGHT
DARK: dict[str, str] = _DARK
# Curves of one plot, in the order in which they differ most, also without colour vision.
CURVES = tuple(LIGHT[name] for name in ("deep", "minus", "good", "bad", "before", "faint"))
