"""Accuracy and cost of askl beside other learners: ``python -m benchmarks.peers``."""
