"""Learners beside each other on tables as people have them: strings, gaps, noisy targets."""
