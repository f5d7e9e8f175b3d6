"""What users give, checked and turned into numbers. Knows numpy and scikit-learn, not torch."""

from askl.preprocessing.table_encoder import TableEncoder, make_table_pipeline

__all__ = ["TableEncoder", "make_table_pipeline"]
