"""Fitted models as ONNX files, for programs without Python."""

from askl.interop.onnx_export.export import export_onnx

__all__ = ["export_onnx"]
