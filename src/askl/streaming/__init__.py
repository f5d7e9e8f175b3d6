"""Rows from files and iterators that are larger than memory: read, measured, shuffled, encoded."""
