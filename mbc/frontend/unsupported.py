"""What one operator's lowering raises; the importer gathers all into one error."""

from __future__ import annotations


class Unsupported(ValueError):
    """The reason, one short clause without the operator's name."""
