"""What users give, checked and turned into numbers. Uses NumPy and scikit-learn, not torch."""

from askl.preprocessing.table_encoder import TableEncoder
from askl.preprocessing.table_pipeline import make_table_pipeline

__all__ = ["TableEncoder", "make_table_pipeline"]
