"""The paper's experiments, on the public names of askl only: data, protocols, records, results."""
