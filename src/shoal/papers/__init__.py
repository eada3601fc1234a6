"""Every table and figure of five papers, run again; one file, or one folder, for each paper."""

from shoal.papers.library import PAPERS, make, write
from shoal.papers.markdown import tally

__all__ = ["PAPERS", "make", "tally", "write"]
