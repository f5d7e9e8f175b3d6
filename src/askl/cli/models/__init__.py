"""From tables to models and back: what to fit, fitted models in files, and their inputs."""
