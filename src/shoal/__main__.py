"""Entry point of ``python -m shoal``."""

from shoal.cli import main

if __name__ == "__main__":  # worker processes import this module
    main()
