"""``novelty score``: measure a file."""

from __future__ import annotations

import argparse
import itertools
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from learnable_novelty.cli.options import (
    ENGINES,
    MOST_SHOWN,
    add_answer,
    add_texts,
    check_drawable,
    check_seed,
    integers,
    steps,
)
from learnable_novelty.cli.progress import progress
from learnable_novelty.errors import UserError
from learnable_novelty.text import listed, printable

if TYPE_CHECKING:
    from learnable_novelty.data.files import Columns
    from learnable_novelty.data.reading import Reading


def add_commands(commands: Any) -> None:
    """Add ``score``."""
    score = commands.add_parser("score", help="measure the learnable structure in a file")
    add_data_options(score)
    score.add_argument(
        "--chunks", action="store_true", help="read the file by chunks, even if it fits into memory"
    )
    score.add_argument(
        "--grow",
        action="store_true",
        help="fit a growing observer to one half of the rows, and score the other half",
    )
    score.add_argument(
        "--against",
        metavar="COLS",
        help="input columns to compare with: do the other inputs add to what these explain?",
    )
    score.add_argument("--engine", default="serial", help=ENGINES)
    score.add_argument(
        "--plot",
        type=Path,
        metavar="OUT.png",
        help="draw the score; with --window auto also how far ahead, as OUT-ahead.png",
    )
    score.add_argument(
        "--all", action="store_true", help="with --json: also every null draw, and the spectrum"
    )
    score.set_defaults(command=_score)


def add_data_options(command: argparse.ArgumentParser) -> None:
    """Add what says which data are measured and how."""
    command.add_argument(
        "file",
        type=Path,
        help="a table: .csv, .tsv, .json, .xlsx, .parquet, .npy, .zarr and others, also compressed "
        "(.gz, .zip); - for standard input",
    )
    add_texts(
        command,
        (
            "--inputs",
            "COLS",
            "input columns, separated by commas: names, or positions such as #4; a name that "
            "contains a comma is quoted, as in CSV",
        ),
        ("--targets", "COLS", "target columns, written in the same way"),
        ("--leads", "L", "predict at these lead times instead of a window, such as 1,5,10"),
        ("--ridge", "R", 'ridge penalty: a number, or "evidence"'),
    )
    command.add_argument(
        "--window", type=steps, metavar="W", help="rows are time steps: predict the next W, or auto"
    )
    command.add_argument(
        "--history",
        type=steps,
        metavar="K",
        default=1,
        help="number of past steps in an input (1), or auto",
    )
    command.add_argument(
        "--draws",
        type=int,
        metavar="N",
        help="number of random reservoirs (8; 1 for a table of samples)",
    )
    command.add_argument(
        "--null",
        metavar="N",
        default="auto",
        help="number of permutations (999; 99 for one series), or a kind of null, such as linear",
    )
    command.add_argument(
        "--resolution", type=float, metavar="ETA", help="eta, the resolution of the code (1)"
    )
    command.add_argument(
        "--rank",
        action="store_true",
        help="replace values by normal scores of their ranks: for heavy tails",
    )
    add_reading_options(command)
    add_answer(command)


def add_reading_options(command: argparse.ArgumentParser) -> None:
    """Add what says how a table is read."""
    add_texts(
        command,
        (
            "--missing",
            "HOW",
            "gaps: fill (samples), drop, refuse (series), interpolate (series)",
        ),
        ("--groups", "COL", "the column of groups: rows with the same depend on each other"),
        ("--time", "COL", "the column that orders a series"),
        ("--keep", "COLS", "columns to keep although they look like an index"),
    )
    command.add_argument(
        "--as",
        dest="kinds",
        metavar="COL=KIND",
        action="append",
        default=[],
        help="read a column as number, category, boolean, date, text or index",
    )
    command.add_argument("--sheet", metavar="NAME", help="the sheet of a workbook, or its number")
    command.add_argument(
        "--header", type=int, metavar="N", help="the line that has the names, from 1; 0 for none"
    )


@dataclass(frozen=True)
class Request:
    """What a command line asks to be measured."""

    columns: Columns
    settings: dict[str, Any]
    """Keywords of ``score``."""
    described: dict[str, Any]
    """File and columns, for JSON."""
    title: str


def read_request(options: argparse.Namespace, *, chunks: bool | None) -> Request:
    """Check the options and open the columns; see ``open_columns`` for ``chunks``."""
    from learnable_novelty.data.describe import in_short
    from learnable_novelty.data.files import choose_columns, open_columns
    from learnable_novelty.data.reading import read_table
    from learnable_novelty.measure.prepare import split_groups

    check_seed(options.seed)
    is_series = options.window is not None or options.leads is not None
    reading = read_decisions(options)
    if options.targets is None and not is_series:
        raise UserError(
            "expected --targets COLS where rows are samples, or --window W where rows are time"
        )
    settings = {
        "window": options.window,
        "history": options.history,
        "leads": None if options.leads is None else integers("--leads", options.leads),
        "ridge_penalty": _ridge(options.ridge),
        "resolution": options.resolution,
        "draws": options.draws,
        "null": int(options.null) if options.null.isdigit() else options.null,
        "rank": options.rank,
        "seed": options.seed,
    }
    if getattr(options, "grow", False):
        settings["observer"] = "growing"
    if options.groups is not None and chunks:
        raise UserError("--groups needs all rows in memory: expected it without --chunks, got both")
    if options.groups is None:
        columns = open_columns(
            options.file,
            options.inputs,
            options.targets,
            chunks=chunks,
            is_series=is_series,
            reading=reading,
        )
    else:
        table, labels = split_groups(read_table(options.file, **vars(reading)), options.groups)
        chosen = options.inputs, options.targets, False
        columns = choose_columns(table, *chosen, is_series=is_series, where=options.file.name)
        settings["groups"] = labels[columns.source.kept]
    inputs, targets = columns.input_names, columns.target_names
    both = sorted(set(inputs) & set(targets))
    if both and not is_series:
        names = ", ".join(map(printable, both))
        raise UserError(f"expected each column as an input or as a target, got both for {names}")
    shown = [listed([*map(printable, names)], MOST_SHOWN) for names in (inputs, targets)]
    return Request(
        columns,
        settings,
        {
            "file": str(options.file),
            "inputs": inputs,
            "targets": targets or inputs,
            "decisions": list(columns.decisions),
        },
        "\n".join(
            [
                f"{printable(str(options.file))}: {shown[0]} -> {shown[1] or 'its own future'}",
                *(f"  {in_short(note)}" for note in columns.decisions),
            ]
        ),
    )


def read_decisions(options: argparse.Namespace) -> Reading:
    """Return what the user decides about columns and gaps."""
    from learnable_novelty.data.reading import Reading

    kinds: dict[str, Any] = {}
    for text in options.kinds:
        name, equals, kind = text.rpartition("=")
        if not equals:
            raise UserError(f"--as takes COL=KIND, got {text!r}")
        kinds[name] = kind
    return Reading(
        options.missing, options.time, options.keep, kinds, options.sheet, options.header
    )


def _score(options: argparse.Namespace) -> int:
    if options.targets is None and options.window is None and options.leads is None:
        from learnable_novelty.cli.scan import scan_file

        _check_scanned(options)
        return scan_file(options)
    from learnable_novelty.engine import open_engine
    from learnable_novelty.measure.difference import difference
    from learnable_novelty.measure.horizon import horizon
    from learnable_novelty.measure.score import score

    if options.plot is not None:
        check_drawable(options.plot)
    request = read_request(options, chunks=options.chunks or None)
    with (
        open_engine(options.engine) as executor,
        progress(f"scoring {printable(options.file.name)}", options.draws or 1) as report,
    ):
        result = score(request.columns, **request.settings, executor=executor, progress=report)
    compared = None
    if options.against is not None:
        fewer = _narrowed(request.columns, options.against)
        compared = difference(score(fewer, **request.settings, executor=executor), result)
    if options.plot is not None:
        result.plot(options.plot)
    curve = None
    if options.window == "auto":
        groups = request.settings.get("groups")
        curve = horizon(request.columns, groups=groups, seed=options.seed)
    drawn = [] if options.plot is None else [options.plot]
    if curve is not None and options.plot is not None:
        drawn.append(options.plot.with_stem(f"{options.plot.stem}-ahead"))
        curve.plot(drawn[-1])
    if options.json:
        answer = {**request.described, **result.to_dict()}
        for name in () if options.all else ("null_explained_variance", "spectrum"):
            del answer[name]
        answer["decisions"] = [*request.described["decisions"], *result.decisions]
        answer |= {} if curve is None else {"horizon": curve.to_dict()}
        if request.columns.classes and answer["classes"] is not None:
            recalls = zip(request.columns.classes, answer["classes"]["recalls"], strict=True)
            answer["classes"]["recalls"] = dict(recalls)
        if compared is not None:
            answer["difference"] = compared.to_dict()
        print(json.dumps(answer, indent=1, allow_nan=False))
    else:
        print(request.title)
        print(result)
        if compared is not None:
            print(f"All inputs against {printable(options.against or '')}: {compared}")
        if curve is not None:
            print(curve)
        if drawn:
            print(f"  drawn to {' and '.join(map(str, drawn))}")
    return 0


def _check_scanned(options: argparse.Namespace) -> None:
    """Raise for options of a score where there is nothing to score, so every column is scanned."""
    defaults = {"history": 1, "draws": None, "null": "auto", "engine": "serial"}
    names = ("inputs", "against", "history", "draws", "null", "ridge", "resolution", "engine")
    given = [name for name in names if getattr(options, name) != defaults.get(name)]
    given += [name for name in ("rank", "chunks") if getattr(options, name)]
    if given:
        raise UserError(
            f"expected --targets COLS, or --window W where rows are time, with --{given[0]}; "
            "without them every column is learned from the others"
        )


def _narrowed(columns: Columns, names: str) -> Columns:
    """Keep some of the input columns, on the same rows."""
    from learnable_novelty.data.memory import MemoryRows
    from learnable_novelty.data.names import positions

    rows, places = columns.source.rows, columns.source.input_places
    if rows is None or places is None:
        raise UserError("--against needs named columns in memory, got a file read by chunks")
    if rows.targets is None:
        raise UserError("--against needs --targets: fewer columns have another future")
    chosen = [columns.input_names[k] for k in positions(columns.input_names, names, "the inputs")]
    parts = {part for name in chosen for part in (name, f"{name} is missing")}
    both = {part: place for part, place in places.items() if part in parts}
    pick = [k for place in both.values() for k in range(place.start, place.stop)]
    ends = list(itertools.accumulate((p.stop - p.start for p in both.values()), initial=0))
    moved = {name: slice(*span) for name, span in zip(both, itertools.pairwise(ends), strict=True)}
    source = replace(
        columns.source,
        partitions=[MemoryRows(rows.inputs[:, pick], rows.targets)],
        input_places=moved,
    )
    return replace(columns, source=source, input_names=chosen)


def _ridge(text: str | None) -> float | Literal["evidence"] | None:
    if text is None or text == "evidence":
        return text
    try:
        return float(text)
    except ValueError:
        raise UserError(f"--ridge takes a number or evidence, got {text!r}") from None
