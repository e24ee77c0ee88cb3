"""``novelty compare``: a file by learnable novelty and by its rivals."""

from __future__ import annotations

import argparse
import json
from typing import Any

from learnable_novelty.cli.progress import progress
from learnable_novelty.cli.score import add_data_options, read_request


def add_commands(commands: Any) -> None:
    """Add ``compare``."""
    compare = commands.add_parser(
        "compare", help="measure a file by learnable novelty and by its rivals"
    )
    add_data_options(compare)
    compare.set_defaults(command=_compare)


def _compare(options: argparse.Namespace) -> int:
    from learnable_novelty.compare.compare import compare

    request = read_request(options)
    with progress(f"comparing on {options.file.name}", None) as report:
        found = compare(*request.data, **request.settings, progress=report)
    if options.json:
        print(json.dumps({**request.described, **found.to_dict()}, indent=1, allow_nan=False))
    else:
        print(request.title)
        print(found)
    return 0
