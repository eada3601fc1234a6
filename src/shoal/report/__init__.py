"""Reports: a release is summarised as plain data and rendered as HTML, JSON or text."""

from shoal.report.evidence import check_evidence_audience, gather_evidence
from shoal.report.html import embedded, pictures, render, styles
from shoal.report.identity import Identity, today
from shoal.report.inline import InlineReport, inline_report
from shoal.report.summary import check_audience, summarise
from shoal.report.text import limit_line, one_line, table, whole_text
from shoal.report.write import check_report, report_text, write_report

__all__ = [
    "Identity",
    "InlineReport",
    "check_audience",
    "check_evidence_audience",
    "check_report",
    "embedded",
    "gather_evidence",
    "inline_report",
    "limit_line",
    "one_line",
    "pictures",
    "render",
    "report_text",
    "styles",
    "summarise",
    "table",
    "today",
    "whole_text",
    "write_report",
]
