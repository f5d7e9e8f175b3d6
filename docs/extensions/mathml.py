"""Formulas as MathML, which browsers draw themselves: no script, no font, no network.

Sphinx's own renderers load MathJax from the network or need LaTeX to make images.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx


def _write_inline(writer: Any, node: nodes.math) -> None:
    writer.body.append(convert(node.astext()))
    raise nodes.SkipNode


def _write_block(writer: Any, node: nodes.math_block) -> None:
    formula = convert(node.astext(), display="block")
    writer.body.append(f'<div class="formula" tabindex="0">{formula}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer under the name that ``html_math_renderer`` has."""
    app.add_html_math_renderer("mathml", (_write_inline, None), (_write_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
