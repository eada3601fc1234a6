"""From the words of a command line to values: help, arguments, lists of columns, settings."""
