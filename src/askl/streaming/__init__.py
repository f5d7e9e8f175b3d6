"""Rows from files and iterators that are larger than memory."""
