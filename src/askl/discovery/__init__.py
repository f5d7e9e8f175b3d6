"""What a small fitted model shows about the columns of a table."""

from askl.discovery.neighbours import NeighbourEncoder
from askl.discovery.spreads import SpreadEncoder
from askl.discovery.symmetry_search import find_symmetries

__all__ = ["NeighbourEncoder", "SpreadEncoder", "find_symmetries"]
