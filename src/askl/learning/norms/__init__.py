"""Norms: the type of a norm of the head, singular values, and the strength of the feature norm."""
