"""Models and checkpoints in files: data only, written as a whole or not at all."""

from askl.persistence.save_load import load, read_header, save

__all__ = ["load", "read_header", "save"]
