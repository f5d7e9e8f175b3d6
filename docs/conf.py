"""How Sphinx builds the documentation: offline, and every warning is an error."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import torch

import askl

sys.path.insert(0, str(Path(__file__).parent / "extensions"))
torch.set_num_threads(1)

project = "askl"
author = "The askl developers"
copyright = author
version = release = askl.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
    "mathml",
]
exclude_patterns = ["figures/*.py", "extensions", "templates", "**/GALLERY_HEADER.rst"]
templates_path = ["templates"]
suppress_warnings = [
    "config.cache",  # the gallery is configured by functions, which cannot be pickled
]

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
html_math_renderer = "mathml"

autosummary_generate = True
toc_object_entries_show_parents = "hide"
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the docstrings say it in words
numpydoc_show_class_members = False

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/plot_",
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "show_memory": False,
    "write_computation_times": False,  # that page loads scripts from the network
    "show_signature": False,
    "remove_config_comments": True,
    "abort_on_example_error": True,
    "matplotlib_animations": False,
    "image_scrapers": ("matplotlib",),
    "min_reported_time": 0,
    "backreferences_dir": None,
    "plot_gallery": True,
}

html_theme = "pydata_sphinx_theme"
html_title = "askl"
html_static_path = ["static"]
html_css_files = ["askl.css"]
html_favicon = "static/favicon.svg"
html_sidebars = {"index": [], "changelog": [], "citing": []}
html_show_sourcelink = False
html_theme_options = {
    "navigation_with_keys": True,
    "show_toc_level": 2,
    "header_links_before_dropdown": 6,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
}


def _skip(app: Any, what: str, name: str, member: Any, skip: bool, options: Any) -> bool | None:
    """Leave out what is not ours: other libraries' members, fields that named tuples make."""
    function = getattr(member, "fget", member)
    is_foreign = not (getattr(function, "__module__", None) or "").startswith("askl")
    is_request = name.startswith("set_") and name.endswith("_request")
    return True if is_foreign or is_request else None


def _escape(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Keep |x| and n_features_in_ from being read as references."""
    for place, line in enumerate(lines):
        if ">>>" not in line and "``" not in line:
            lines[place] = line.replace("|", "\\|").replace("_in_,", "_in\\_,")


def setup(app: Any) -> None:
    """Connect what keeps foreign members and accidental references out of the reference."""
    app.connect("autodoc-skip-member", _skip)
    app.connect("autodoc-process-docstring", _escape, priority=600)  # after numpydoc
