"""The tables and figures of five papers, reproduced; one file or folder for each paper."""

from reproduction.markdown import result_sentence
from reproduction.papers import PAPERS, make_page, write_pages

__all__ = ["PAPERS", "make_page", "result_sentence", "write_pages"]
