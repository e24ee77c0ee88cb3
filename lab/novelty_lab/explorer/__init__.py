"""The explorer: a page over the committed records, and the small local server of it."""

from novelty_lab.explorer.site import build, export

__all__ = ["build", "export"]
