"""``python -m shoal`` is the command line."""

from shoal.cli import main

if __name__ == "__main__":  # workers of the page import this module again
    main()
