"""Settings of the site; `make_site.py` beside it gathers the pages and runs Sphinx."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from making import access, docstrings, font, formulas, types  # noqa: E402
from shoal import __version__  # noqa: E402

project = "Shoal"
version = release = __version__
copyright = "the authors of Shoal"
language = "en"

extensions = ["myst_parser", "sphinx.ext.autodoc", "numpydoc"]
source_suffix = {".md": "markdown"}
templates_path = ["_templates"]
exclude_patterns = ["**/README.txt"]
nitpicky = True
default_role = "literal"  # a name between single backticks is code

myst_heading_anchors = 4
myst_enable_extensions = [
    "attrs_block", "attrs_inline", "colon_fence", "deflist", "dollarmath", "substitution",
]  # fmt: skip

autosummary_generate = False
autodoc_typehints = "none"  # annotations hold checks; the docstring says it in words
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
numpydoc_xref_param_type = True
numpydoc_xref_aliases = types.aliases()
numpydoc_xref_ignore = "all"  # words that are no types stay as they are

html_math_renderer = "mathml"
html_theme = "furo"
html_title = f"Shoal {__version__}"
html_static_path = ["_static"]
html_css_files = ["shoal.css"]
html_js_files = ["shoal.js"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_theme_options = {"navigation_with_keys": True, "top_of_page_buttons": []}
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"


def setup(app):
    """Let keys of papers in docstrings lead to the one list of references, and add formulas."""
    access.add_to(app)
    font.add_to(app)
    formulas.add_to(app)
    types.add_to(app)
    app.connect("autodoc-process-docstring", docstrings.for_the_site, priority=400)
