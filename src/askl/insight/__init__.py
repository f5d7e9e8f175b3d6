"""See a fitted model: plots, and a report to hand over."""

from askl.insight.report import write_comparison_report, write_report

__all__ = ["write_comparison_report", "write_report"]
