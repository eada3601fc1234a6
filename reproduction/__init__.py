"""The tables and figures of five papers, reproduced; one file or folder for each paper."""

from reproduction.markdown import tally
from reproduction.papers import PAPERS, make_page, write_pages

__all__ = ["PAPERS", "make_page", "tally", "write_pages"]
