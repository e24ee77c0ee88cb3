"""The ``novelty`` command: thin, over the package."""

from learnable_novelty.cli.main import main, make_parser

__all__ = ["main", "make_parser"]
