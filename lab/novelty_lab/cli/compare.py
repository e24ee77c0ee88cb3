"""``novelty compare``: a file by learnable novelty and by other measures."""

from __future__ import annotations

import argparse
import json
from typing import Any

from learnable_novelty.cli.progress import progress
from learnable_novelty.cli.score import add_data_options, read_request
from learnable_novelty.errors import UserError
from learnable_novelty.text import printable


def add_commands(commands: Any) -> None:
    """Add ``compare``."""
    compare = commands.add_parser(
        "compare", help="measure a file by learnable novelty and by other measures"
    )
    add_data_options(compare)
    compare.set_defaults(command=_compare)


def _compare(options: argparse.Namespace) -> int:
    from novelty_lab.measures.compare import compare

    if "auto" in (options.window, options.history):
        raise UserError("compare takes numbers of steps: name --window and --history")
    request = read_request(options, chunks=False)
    with progress(f"comparing on {printable(options.file.name)}", None) as report:
        comparison = compare(request.columns, **request.settings, progress=report)
    if options.json:
        print(json.dumps({**request.described, **comparison.to_dict()}, indent=1, allow_nan=False))
    else:
        print(request.title)
        print(comparison)
    return 0
