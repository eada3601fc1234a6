"""Reading and writing of files and databases."""
