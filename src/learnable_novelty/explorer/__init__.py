"""The explorer: a page over the committed records, and the small local server of it."""

from learnable_novelty.explorer.site import build, export

__all__ = ["build", "export"]
