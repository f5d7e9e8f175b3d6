"""Hostile model files, and a program that looks for one that harms."""
