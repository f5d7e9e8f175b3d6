"""Run the command line as ``python -m askl``."""

from askl.cli import main

if __name__ == "__main__":
    main()
