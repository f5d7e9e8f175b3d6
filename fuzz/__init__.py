"""Fuzzing: programs that look for files that a reader does not handle."""
