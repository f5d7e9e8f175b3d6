"""The learned kernel, and whole models, for other libraries.

:mod:`askl.interop.gpytorch_kernel` needs GPyTorch (``pip install askl[gpytorch]``) and is
imported only by name; :func:`export_onnx` needs onnx (``pip install askl[onnx]``).
"""

from askl.interop.onnx_export import export_onnx
from askl.interop.sklearn_kernel import SpectralKernel

__all__ = ["SpectralKernel", "export_onnx"]
