"""The tables and figures of five papers, reproduced; one file or folder for each paper."""

from reproduction.library import PAPERS, make, write
from reproduction.markdown import tally

__all__ = ["PAPERS", "make", "tally", "write"]
