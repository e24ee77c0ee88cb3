"""``novelty score``: measure a file."""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from learnable_novelty.cli.options import ENGINES, check_drawable, check_seed, integers
from learnable_novelty.cli.progress import progress
from learnable_novelty.errors import UserError


def add_commands(commands: Any) -> None:
    """Add ``score``."""
    score = commands.add_parser("score", help="measure the learnable structure in a file")
    add_data_options(score, files=".csv, .tsv, .npy, .npz, .parquet; a folder of .parquet; .zarr")
    score.add_argument(
        "--chunks", action="store_true", help="do not load the file: read it by chunks"
    )
    score.add_argument("--engine", default="serial", help=ENGINES)
    score.add_argument("--plot", type=Path, metavar="OUT.png", help="draw the score")
    score.set_defaults(command=_score)


def add_data_options(
    command: argparse.ArgumentParser, files: str = ".csv, .tsv, .npy, .npz or .parquet"
) -> None:
    """Add what says which data are measured and how."""
    command.add_argument("file", type=Path, help=files)
    command.add_argument(
        "--inputs", metavar="COLS", help="input columns: names or numbers, by commas"
    )
    command.add_argument("--targets", metavar="COLS", help="target columns")
    command.add_argument("--window", type=int, metavar="W", help="rows are time: predict W steps")
    command.add_argument("--history", type=int, metavar="K", default=1, help="past steps per input")
    command.add_argument("--leads", metavar="L", help="lead times instead of a window, by commas")
    command.add_argument("--draws", type=int, metavar="N", default=8, help="reservoirs (8)")
    command.add_argument(
        "--null", metavar="N", default="99", help="rearrangements (99), or a kind such as linear"
    )
    command.add_argument("--ridge", metavar="R", help='ridge penalty: a number, or "evidence"')
    command.add_argument("--seed", type=int, default=0)
    command.add_argument("--json", action="store_true", help="print JSON")


@dataclass(frozen=True)
class Request:
    """What a command line asks to be measured."""

    data: tuple[Any, ...]
    """Inputs and targets, or what is read by chunks."""
    settings: dict[str, Any]
    """Keywords of ``score``."""
    described: dict[str, Any]
    """File and columns, for JSON."""
    title: str


def read_request(options: argparse.Namespace, *, by_chunks: bool = False) -> Request:
    """Check the options and read the columns, or open them to be read by chunks."""
    from learnable_novelty.measure.files import read_columns
    from learnable_novelty.measure.large_files import open_columns

    check_seed(options.seed)
    if options.targets is None and options.window is None and options.leads is None:
        raise UserError(
            "expected --targets COLS where rows are samples, or --window W where rows are time"
        )
    read = open_columns if by_chunks else read_columns
    data: Any = read(options.file, options.inputs, options.targets)
    both = set(data.input_names) & set(data.target_names)
    if both and options.window is None and options.leads is None:
        raise UserError(f"expected inputs that are not targets too, got {', '.join(sorted(both))}")
    settings = {
        "window": options.window,
        "history": options.history,
        "leads": None if options.leads is None else integers("--leads", options.leads),
        "ridge_penalty": _ridge(options.ridge),
        "draws": options.draws,
        "null": int(options.null) if options.null.isdigit() else options.null,
        "seed": options.seed,
    }
    described = {
        "file": str(options.file),
        "inputs": data.input_names,
        "targets": data.target_names or data.input_names,
    }
    title = (
        f"{options.file}: {', '.join(data.input_names)} -> "
        f"{', '.join(data.target_names) or 'its own future'}"
    )
    held = (data,) if by_chunks else (data.inputs, data.targets)
    return Request(held, settings, described, title)


def _score(options: argparse.Namespace) -> int:
    from learnable_novelty.engine import open_engine
    from learnable_novelty.measure.large_files import is_large
    from learnable_novelty.measure.score import score

    if options.plot is not None:
        check_drawable(options.plot)
    request = read_request(options, by_chunks=options.chunks or is_large(options.file))
    with (
        open_engine(options.engine) as executor,
        progress(f"scoring {options.file.name}", options.draws) as report,
    ):
        result = score(*request.data, **request.settings, executor=executor, progress=report)
    if options.plot is not None:
        result.plot(options.plot)
    if options.json:
        print(json.dumps({**request.described, **result.to_dict()}, indent=1, allow_nan=False))
    else:
        print(request.title)
        print(result)
        if options.plot is not None:
            print(f"  drawn to {options.plot}")
    return 0


def _ridge(text: str | None) -> float | Literal["evidence"] | None:
    if text is None or text == "evidence":
        return text
    try:
        return float(text)
    except ValueError:
        raise UserError(f"--ridge takes a number or evidence, got {text!r}") from None
