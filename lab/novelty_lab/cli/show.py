"""``novelty list`` and ``novelty render``: records, and their figures."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from learnable_novelty.errors import UserError
from learnable_novelty.text import printable


def add_commands(commands: Any) -> None:
    """Add ``list`` and ``render``."""
    listing = commands.add_parser(
        "list", help="list the experiments, how long they take, and their records"
    )
    listing.add_argument(
        "--out", type=Path, default=Path("results"), help="results folder (results)"
    )
    listing.set_defaults(command=_list)

    render = commands.add_parser(
        "render", help="draw all figures again from their records (two minutes)"
    )
    render.add_argument("name", nargs="?", help="one experiment only (seconds)")
    render.add_argument(
        "--out", type=Path, default=Path("results"), help="results folder (results)"
    )
    render.add_argument("--vector", action="store_true", help="also write each as a .pdf")
    render.set_defaults(command=_render)


def _list(options: argparse.Namespace) -> int:
    from novelty_lab import records
    from novelty_lab.registry import all_artefacts

    for name, artefact in all_artefacts().items():
        names = [path.name for path in records.find(options.out, name)]
        there = f"{len(names)} runs" if artefact.many_runs else ", ".join(names)
        takes = f" ({artefact.takes})" if artefact.takes else ""
        print(f"{name:<16} {artefact.title}{takes}{f'  [{there}]' if names else ''}")
    print("Times are of the paper's configuration; --config quick takes seconds to minutes.")
    return 0


def _render(options: argparse.Namespace) -> int:
    from novelty_lab import records
    from novelty_lab.registry import all_artefacts, find_artefact
    from novelty_lab.report import save_figures

    chosen = [find_artefact(options.name)] if options.name else all_artefacts().values()
    drawn = 0
    for artefact in chosen:
        paths = list(records.find(options.out, artefact.name))
        drawn += len(paths)
        if artefact.many_runs and paths:
            runs = [records.load(path) for path in paths]
            print(*save_figures(artefact, runs, options.out, vector=options.vector), sep="\n")
            if options.name:
                print_tables(artefact.tables(runs))
            continue
        for path in paths:
            shown = save_figures(artefact, [records.load(path)], options.out, vector=options.vector)
            print(*(shown if options.vector else shown[:1]), sep="\n")
    if not drawn:
        named = f" of {options.name}" if options.name else ""
        raise UserError(f"expected records{named} under {options.out}, found none")
    return 0


def print_tables(tables: Iterable[Any]) -> None:
    """Print tables of a report."""
    from rich.console import Console
    from rich.table import Table as RichTable

    console = Console()
    for table in tables:
        shown = RichTable(title=table.title, title_justify="left")
        for column in table.columns:
            shown.add_column(column, no_wrap=column in table.unbroken)
        for row in table.rows:
            shown.add_row(*map(printable, row))
        console.print(shown)
