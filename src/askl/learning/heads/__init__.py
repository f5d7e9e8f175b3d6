"""Heads that are solved: ridge regression, and convex losses along a path of penalties."""
