"""askl beside other learners on real tables, with strings, gaps and noisy targets."""
