from __future__ import annotations

from tests.persistence.conftest import content, path

__all__ = ["content", "path"]
