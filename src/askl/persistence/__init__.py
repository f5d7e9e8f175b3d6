"""Models and checkpoints in files, which hold data only and are never half written."""

from askl.persistence.atomic_write import replacing, write_atomic
from askl.persistence.save_load import load, read_header, save

__all__ = ["load", "read_header", "replacing", "save", "write_atomic"]
