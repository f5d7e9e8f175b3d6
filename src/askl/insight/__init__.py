"""Look at a fitted model: plots, and a report as an HTML page."""

from askl.insight.report import write_comparison_report, write_report

__all__ = ["write_comparison_report", "write_report"]
