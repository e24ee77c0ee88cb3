"""``novelty report``: a table as one page."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

from learnable_novelty.cli.options import check_seed
from learnable_novelty.cli.progress import progress
from learnable_novelty.cli.score import add_reading_options, read_decisions
from learnable_novelty.errors import UserError
from learnable_novelty.text import printable


def add_commands(commands: Any) -> None:
    """Add ``report``."""
    report = commands.add_parser("report", help="write a page about a file: what can be learned")
    report.add_argument("file", type=Path, help="a table, in any format that novelty score reads")
    report.add_argument(
        "-o", "--out", type=Path, default=Path("report.html"), help="the page (report.html)"
    )
    add_reading_options(report)
    report.add_argument("--seed", type=int, default=0, help="random seed (0)")
    report.set_defaults(command=_report)


def _report(options: argparse.Namespace) -> int:
    from learnable_novelty.data.reading import read_table
    from learnable_novelty.measure.scan import scan
    from learnable_novelty.report.page import report_page
    from learnable_novelty.storage import write_whole

    check_seed(options.seed)
    if options.out.suffix.lower() not in (".html", ".htm"):
        raise UserError(f"-o takes a .html file, got {options.out}")
    if not options.out.absolute().parent.is_dir():
        raise UserError(f"-o needs an existing folder, {options.out.parent} is not one")
    table = read_table(options.file, **vars(read_decisions(options)))
    if len(table.measured) < 2:
        raise UserError(
            f"expected at least two columns of numbers, booleans or categories in {options.file}, "
            f"got {len(table.measured)}: read others with --as COL=KIND, or score one as a series "
            "with novelty score --window 1"
        )
    with progress(f"scanning {printable(options.file.name)}", len(table.measured)) as told:
        scanned = scan(table, groups=options.groups, seed=options.seed, progress=told)
    scanned = replace(scanned, source=str(options.file))
    write_whole(options.out, report_page(table, scanned, options.file.name).encode())
    print(f"{scanned.title}\nwritten to {options.out}")
    return 0
