"""``askl export``: a model as ONNX."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from askl.cli.console import Screen
from askl.cli.files import check_destination
from askl.cli.models.saved_model import load_model
from askl.cli.options import Json, Model, Quiet
from askl.interop import export_onnx


def export(
    model: Model,
    output: Annotated[Path, typer.Argument(help="ONNX file to write.", show_default=False)],
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write a model as ONNX, for programs without Python."""
    screen = Screen(as_json=as_json, quiet=quiet)
    check_destination(output, model)
    saved = load_model(screen, model)
    with screen.warnings():
        export_onnx(saved.model, output)
    screen.result({"onnx": str(output.resolve())}, f"ONNX: {output.resolve()}")
