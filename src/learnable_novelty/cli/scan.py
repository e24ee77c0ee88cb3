"""``novelty scan``: which columns of a file can be learned from the others."""

from __future__ import annotations

import argparse
import json
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

from learnable_novelty.cli.options import add_answer, check_drawable, check_seed
from learnable_novelty.cli.progress import progress
from learnable_novelty.cli.score import add_reading_options, read_decisions
from learnable_novelty.errors import UserError
from learnable_novelty.text import printable


def add_commands(commands: Any) -> None:
    """Add ``scan``."""
    scan = commands.add_parser(
        "scan", help="find the columns of a file that can be learned from the others"
    )
    scan.add_argument("file", type=Path, help="a table, in any format that novelty score reads")
    scan.add_argument(
        "--pairs", action="store_true", help="test every ordered pair of columns instead"
    )
    scan.add_argument(
        "--top",
        type=int,
        metavar="K",
        help="test only K columns, chosen with their inputs by one half of the rows",
    )
    add_reading_options(scan)
    add_answer(scan, "draw the relations; .html writes a page")
    scan.set_defaults(command=lambda options: scan_file(options, pairs=options.pairs))


def scan_file(options: argparse.Namespace, *, pairs: bool = False) -> int:
    """Say what was read, and which columns can be learned from the others."""
    from learnable_novelty.data.describe import next_commands, show_table
    from learnable_novelty.data.reading import read_table
    from learnable_novelty.measure.scan import WIDE, WIDE_TOP, scan

    check_seed(options.seed)
    if options.plot is not None and not _is_page(options.plot):
        check_drawable(options.plot)
    table, name = read_table(options.file, **vars(read_decisions(options))), str(options.file)
    is_scanned = len(table.measured) > 1 or pairs
    if not options.json:
        print(show_table(table, name, commands=not is_scanned), flush=True)
    answer: dict[str, Any] = {
        "file": name,
        "columns": [column.described() for column in table.columns],
        "decisions": list(table.notes),
    }
    if is_scanned:
        top = getattr(options, "top", None)
        many = len(table.measured)
        if top is None and not pairs and WIDE < many <= table.num_rows and not options.json:
            shorter = shlex.join(["novelty", "scan", name, "--top", str(WIDE_TOP)])
            print(f"  {many} columns take a while; for {WIDE_TOP} of them: {shorter}")
        with progress(f"scanning {printable(options.file.name)}", many) as report:
            scanned = scan(
                table,
                pairs=pairs,
                top=top,
                groups=options.groups,
                seed=options.seed,
                progress=report,
            )
        # What was decided about the table is said already.
        scanned = replace(scanned, source=name, notes=scanned.notes[len(table.notes) :])
        if options.plot is not None:
            scanned.plot(options.plot)
        answer |= scanned.to_dict()
        if not options.json:
            print(scanned)
            if any(column.kind == "date" for column in table.columns):
                print(f"  rows are time? {next_commands(table, name)[-1].strip()}")
            if options.plot is not None:
                print(f"  drawn to {options.plot}")
    if options.json:
        print(json.dumps(answer, indent=1, allow_nan=False))
    return 0


def _is_page(path: Path) -> bool:
    if path.suffix.lower() not in (".html", ".htm"):
        return False
    if not path.parent.is_dir():
        raise UserError(f"--plot needs an existing folder, {path.parent} is not one")
    return True
