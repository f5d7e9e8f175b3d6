"""The learned kernel in other libraries' hands.

:mod:`askl.interop.gpytorch_kernel` needs GPyTorch (``pip install askl[gpytorch]``) and is
imported only by name.
"""

from askl.interop.sklearn_kernel import SpectralKernel

__all__ = ["SpectralKernel"]
