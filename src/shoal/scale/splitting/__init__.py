"""Divide a table into strata, cells, regions and blocks that one worker can hold."""
