"""Every table and figure of five papers, run again; one file, or one folder, for each paper."""

from reproduction.library import PAPERS, make, write
from reproduction.markdown import tally

__all__ = ["PAPERS", "make", "tally", "write"]
