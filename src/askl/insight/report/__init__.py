"""Reports to hand over: one self-contained HTML file, for one model or for several."""

from askl.insight.report.comparison import write_comparison_report
from askl.insight.report.page import Section, Table
from askl.insight.report.single import write_report

__all__ = ["Section", "Table", "write_comparison_report", "write_report"]
