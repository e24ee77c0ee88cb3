"""The ``novelty`` command: thin, over the package."""

from learnable_novelty.cli.main import main, make_parser
from learnable_novelty.cli.options import (
    ENGINES,
    RESULTS_HINT,
    check_device,
    check_seed,
    integers,
    names,
    setting,
)
from learnable_novelty.cli.progress import print_tables, progress

__all__ = [
    "ENGINES",
    "RESULTS_HINT",
    "check_device",
    "check_seed",
    "integers",
    "main",
    "make_parser",
    "names",
    "print_tables",
    "progress",
    "setting",
]
