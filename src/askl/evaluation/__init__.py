"""Comparing methods, and metrics of streams of predictions."""

from askl.evaluation.compare_methods import MethodScores, compare_methods, fit_methods

__all__ = ["MethodScores", "compare_methods", "fit_methods"]
