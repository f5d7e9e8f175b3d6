"""Reports: one self-contained HTML file about one model or several."""

from askl.insight.report.comparison import write_comparison_report
from askl.insight.report.page import Section, Table
from askl.insight.report.write import write_report

__all__ = ["Section", "Table", "write_comparison_report", "write_report"]
