"""What the lab adds to the ``novelty`` command."""

from typing import Any


def add_commands(commands: Any) -> None:
    """Add ``compare``, ``run``, ``list``, ``render``, ``train``, ``ledger`` and ``explore``."""
    from novelty_lab.cli import compare, explore, ledger, run, show, train

    for module in (compare, run, show, train, ledger, explore):
        module.add_commands(commands)
