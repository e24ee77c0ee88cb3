"""What the lab adds to the ``novelty`` command."""

from typing import Any


def add_commands(commands: Any) -> None:
    """Add ``run``, ``list``, ``render``, ``train``, ``ledger`` and ``explore``."""
    from novelty_lab.cli import explore, ledger, run, show, train

    for module in (run, show, train, ledger, explore):
        module.add_commands(commands)
