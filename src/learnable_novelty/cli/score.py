"""``novelty score``: measure a file."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any, Literal

from learnable_novelty.cli.options import ENGINES, check_drawable, check_seed, integers
from learnable_novelty.cli.progress import progress


def add_commands(commands: Any) -> None:
    """Add ``score``."""
    score = commands.add_parser("score", help="measure the learnable structure in a file")
    score.add_argument(
        "file", type=Path, help=".csv, .tsv, .npy, .npz, .parquet; a folder of .parquet; .zarr"
    )
    score.add_argument(
        "--inputs", metavar="COLS", help="input columns: names or numbers, by commas"
    )
    score.add_argument("--targets", metavar="COLS", help="target columns")
    score.add_argument("--window", type=int, metavar="W", help="rows are time: predict W steps")
    score.add_argument("--history", type=int, metavar="K", default=1, help="past steps per input")
    score.add_argument("--leads", metavar="L", help="lead times instead of a window, by commas")
    score.add_argument("--draws", type=int, metavar="N", default=8, help="reservoirs (8)")
    score.add_argument(
        "--null", metavar="N", default="99", help="rearrangements (99), or a kind such as linear"
    )
    score.add_argument("--ridge", metavar="R", help='ridge penalty: a number, or "evidence"')
    score.add_argument("--seed", type=int, default=0)
    score.add_argument(
        "--chunks", action="store_true", help="do not load the file: read it by chunks"
    )
    score.add_argument("--engine", default="serial", help=ENGINES)
    score.add_argument("--json", action="store_true", help="print JSON")
    score.add_argument("--plot", type=Path, metavar="OUT.png", help="draw the score")
    score.set_defaults(command=_score)


def _score(options: argparse.Namespace) -> int:
    from learnable_novelty.engine import open_engine
    from learnable_novelty.measure.files import read_columns
    from learnable_novelty.measure.large_files import is_large, open_columns
    from learnable_novelty.measure.score import score

    check_seed(options.seed)
    if options.plot is not None:
        check_drawable(options.plot)
    if options.targets is None and options.window is None and options.leads is None:
        raise ValueError(
            "expected --targets COLS where rows are samples, or --window W where rows are time"
        )
    by_chunks = options.chunks or is_large(options.file)
    read = open_columns if by_chunks else read_columns
    data: Any = read(options.file, options.inputs, options.targets)
    both = set(data.input_names) & set(data.target_names)
    if both and options.window is None and options.leads is None:
        raise ValueError(f"expected inputs that are not targets too, got {', '.join(sorted(both))}")
    null: int | str = int(options.null) if options.null.isdigit() else options.null
    leads = None if options.leads is None else integers("--leads", options.leads)
    values = (data,) if by_chunks else (data.inputs, data.targets)
    with (
        open_engine(options.engine) as executor,
        progress(f"scoring {options.file.name}", options.draws) as report,
    ):
        result = score(
            *values,
            window=options.window,
            history=options.history,
            leads=leads,
            ridge_penalty=_ridge(options.ridge),
            draws=options.draws,
            null=null,
            seed=options.seed,
            executor=executor,
            progress=report,
        )
    if options.plot is not None:
        result.plot(options.plot)
    if options.json:
        described = {"file": str(options.file), "inputs": data.input_names}
        described |= {"targets": data.target_names or data.input_names}
        print(json.dumps({**described, **result.to_dict()}, indent=1))
    else:
        print(
            f"{options.file}: {', '.join(data.input_names)} -> "
            f"{', '.join(data.target_names) or 'its own future'}"
        )
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
        raise ValueError(f"--ridge takes a number or evidence, got {text!r}") from None
