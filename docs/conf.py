"""How the site is built: ``python -m sphinx -W -n docs build/site``, with ``pip install '.[docs]'``."""

import re
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util import logging

import milp_pips

project = "milp_pips"
author = "The milp_pips authors"
copyright = f"2026, {author}"
version = release = milp_pips.__version__
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.napoleon"]
exclude_patterns = ["**/.ipynb_checkpoints"]
templates_path = ["_templates"]

myst_heading_anchors = 3
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 240
nb_merge_streams = True
nb_code_prompt_show = "Show code"
nb_code_prompt_hide = "Hide code"

autosummary_generate = True
autodoc_typehints = "signature"
python_maximum_signature_line_length = 88
python_use_unqualified_type_names = True
napoleon_google_docstring = False
nitpick_ignore_regex = [
    ("py:.*", r"(?!milp_pips\.).*"),
    ("py:class", r"milp_pips\.(problem\.answer|compilation|constraints|extras)\..*"),
    ("py:class", r"milp_pips\.problem\.constraint\.State"),
    ("py:class", r"milp_pips\.problem\.deduction\..*"),
    ("py:class", r"milp_pips\.tasks\.(pipeline|listers|lines|prepared|query)\..*"),
    ("py:class", r"milp_pips\.formulations\.(rows|milp)\..*"),
    ("py:class", r"milp_pips\.puzzles\.(pips|sudoku|colour_grid|located|puzzle\.DrawnRows).*"),
]
"""Names of other packages, and types of ours that are met in signatures and belong to no contract."""

html_theme = "furo"
html_title = "milp_pips"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = html_show_sphinx = False

PAGE = re.compile(r"(?:docs/)?([a-z_/]+)\.md")


class PageNames(SphinxTransform):
    """Makes a link of each page that is named, as in ``teaching.md``; plain Markdown shows its name."""

    default_priority = 500

    def apply(self) -> None:
        for literal in list(self.document.findall(nodes.literal)):
            found = PAGE.fullmatch(literal.astext())
            if found is None or isinstance(literal.parent, nodes.reference | addnodes.pending_xref):
                continue
            if not (Path(self.env.srcdir) / f"{found[1]}.md").is_file():
                logging.getLogger(__name__).warning("there is no page %s", literal.astext(), location=literal)
                continue
            link = addnodes.pending_xref(
                "", refdomain="std", reftype="doc", reftarget=f"/{found[1]}", refexplicit=True, refwarn=True
            )
            literal.replace_self(link)
            link += literal


def setup(app: Sphinx) -> None:
    """Have Sphinx use it."""
    app.add_transform(PageNames)
