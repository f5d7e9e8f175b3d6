"""Comparisons of methods, and metrics that are computed block by block."""

from askl.evaluation.compare_methods import MethodScores, compare_methods, fit_methods
from askl.evaluation.streaming_metrics import ClassificationMetrics, RegressionMetrics

__all__ = [
    "ClassificationMetrics",
    "MethodScores",
    "RegressionMetrics",
    "compare_methods",
    "fit_methods",
]
