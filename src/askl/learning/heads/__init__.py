"""Heads that are solved for given features, and not trained."""
