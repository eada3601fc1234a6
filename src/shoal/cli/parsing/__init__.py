"""Parsing of the command line: help, arguments, lists of columns, values of options."""
