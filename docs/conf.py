"""Sphinx reads the documentation by this. Nothing is fetched from the network."""

import gc
import sys
from importlib import metadata
from pathlib import Path

# The extensions, and what of the repository is no package: verification.
sys.path[:0] = [str(Path(__file__).parent / "_extensions"), str(Path(__file__).parents[1])]

# A build keeps the objects of its pages to its end: to look for garbage among them took a fifth of its time.
gc.set_threshold(100_000, 20, 100)

project = "Ackclock"
author = "The Ackclock authors"
copyright = f"2026, {author}"
release = metadata.version("ackclock")
version = release

extensions = [
    "accessible",
    "attacks",
    "bench",
    "catalogue_table",
    "command_help",
    "conformance",
    "evaluation_reports",
    "figures",
    "index_links",
    "league",
    "lessons",
    "mathml",
    "media_claims",
    "myst_parser",
    "navigation",
    "notebook_page",
    "paper_pages",
    "playground_files",
    "sphinx.ext.autodoc",
    "table_columns",
]
exclude_patterns = ["_build", "site"]
default_role = "code"

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

autodoc_default_options = {"members": True, "undoc-members": True}
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
autodoc_type_aliases = {"ArrayLike": "ArrayLike", "Source": "Source"}
python_maximum_signature_line_length = 90

html_math_renderer = "mathml"
html_theme = "furo"
html_title = f"Ackclock {release}"
html_favicon = "../playground/icon.svg"
html_search_scorer = str(Path(__file__).with_name("search-scorer.js"))
html_static_path = ["_static"]
html_css_files = ["pages.css"]
html_js_files = ["excerpts.js", "suggestions.js"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {"navigation_with_keys": True}
