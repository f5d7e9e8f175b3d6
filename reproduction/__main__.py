"""Run as ``python -m reproduction``."""

from reproduction.cli import main

if __name__ == "__main__":
    main()
