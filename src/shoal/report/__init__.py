"""A release becomes a page: summary (plain data), then HTML or text."""

from shoal.report.html import render, write_report
from shoal.report.summary import summarise
from shoal.report.text import one_line, table

__all__ = ["one_line", "render", "summarise", "table", "write_report"]
