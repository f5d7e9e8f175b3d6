"""Several processes that share one fit."""
