"""The ``novelty`` command: thin, over the package."""

from __future__ import annotations

import argparse
import ast
import importlib.util
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, NoReturn

from learnable_novelty._version import __version__

FAILED, BAD_INPUT, INTERRUPTED = 1, 2, 130


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(BAD_INPUT, f"{self.prog}: {message} (see {self.prog} --help)\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    options = _parser().parse_args(arguments)
    try:
        return options.command(options)
    except (ValueError, TypeError, OSError, ModuleNotFoundError) as error:
        sentence = " ".join(str(error).split())
        print(f"novelty: {sentence}", file=sys.stderr)
        return BAD_INPUT
    except ArithmeticError as error:
        print(f"novelty: stopped, {error}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt as error:
        told = str(error) or "interrupted; what was finished is kept"
        again = " without --force" if getattr(options, "force", False) else ""
        print(f"novelty: {told}; the same command{again} goes on from it", file=sys.stderr)
        return INTERRUPTED


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="novelty", description="Learnable novelty, in bits.")
    parser.add_argument("--version", action="version", version=f"novelty {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    score = commands.add_parser("score", help="measure the learnable structure in a file")
    score.add_argument("file", type=Path, help=".csv, .tsv, .npy, .npz or .parquet")
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
    score.add_argument("--json", action="store_true", help="print JSON")
    score.add_argument("--plot", type=Path, metavar="OUT.png", help="draw the score")
    score.set_defaults(command=_score)

    run = commands.add_parser("run", help="run an experiment of the paper")
    run.add_argument("name", help="see novelty list")
    run.add_argument("--config", default="paper", choices=("paper", "quick"))
    run.add_argument("--seed", type=int, default=0)
    run.add_argument("--out", type=Path, default=Path("results"), help="results folder (results)")
    run.add_argument("--json", action="store_true", help="print the record")
    run.add_argument(
        "--engine", help="serial, cores or cores:N (serial for trainings, cores for the rest)"
    )
    run.add_argument("--force", action="store_true", help="run again even if the record is there")
    run.add_argument("--resume", action="store_true", help="only go on with a run that was cut off")
    run.add_argument("--device", default="cpu", help="where trainings compute: cpu (default), cuda")
    run.add_argument("--data", type=Path, metavar="DIR", help="folder with the image files")
    run.add_argument("--update", choices=("residual", "direct"), help="nca: one update rule only")
    run.add_argument("--seeds", metavar="N", help="nca: how many training seeds, or 0,3,5")
    run.add_argument("--part", choices=("eca", "nca"), help="mdl: which half of the appendix")
    run.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="change one setting"
    )
    run.set_defaults(command=_run)

    listing = commands.add_parser("list", help="list the experiments and their records")
    listing.add_argument("--out", type=Path, default=Path("results"))
    listing.set_defaults(command=_list)

    render = commands.add_parser("render", help="draw all figures again from their records")
    render.add_argument("name", nargs="?", help="one experiment only")
    render.add_argument("--out", type=Path, default=Path("results"))
    render.set_defaults(command=_render)
    return parser


def _score(options: argparse.Namespace) -> int:
    from learnable_novelty.measure.files import read_columns
    from learnable_novelty.measure.score import score

    _check_seed(options.seed)
    if options.plot is not None:
        _check_drawable(options.plot)
    if options.targets is None and options.window is None and options.leads is None:
        raise ValueError(
            "expected --targets COLS where rows are samples, or --window W where rows are time"
        )
    data = read_columns(options.file, options.inputs, options.targets)
    both = set(data.input_names) & set(data.target_names)
    if both and options.window is None and options.leads is None:
        raise ValueError(f"expected inputs that are not targets too, got {', '.join(sorted(both))}")
    null: int | str = int(options.null) if options.null.isdigit() else options.null
    leads = None if options.leads is None else _integers("--leads", options.leads)
    with _progress(f"scoring {options.file.name}", options.draws) as report:
        result = score(
            data.inputs,
            data.targets,
            window=options.window,
            history=options.history,
            leads=leads,
            ridge_penalty=_ridge(options.ridge),
            draws=options.draws,
            null=null,
            seed=options.seed,
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


def _run(options: argparse.Namespace) -> int:
    from learnable_novelty.engine import open_engine
    from learnable_novelty.experiments import run_experiment
    from learnable_novelty.experiments.base import configure, module_of

    _check_seed(options.seed)
    _check_device(options.device)
    name = _experiment(options)
    overrides = dict(_setting(text) for text in options.set) | _run_overrides(options)
    configure(name, options.config, overrides)
    engine = _engine(options, module_of(name))
    with open_engine(engine) as executor, _progress(name, None) as report:
        record, fresh = run_experiment(
            name,
            options.config,
            seed=options.seed,
            root=options.out,
            executor=executor,
            report=report,
            detail=report.detail,
            device=options.device,
            data=options.data,
            overrides=overrides,
            force=options.force,
            resume=options.resume,
        )
    if options.json:
        print(json.dumps(record.to_json(), indent=1))
    else:
        _print_tables(record)
    where = record.path(options.out)
    note = "" if fresh else " (already there; --force runs it again)"
    print(f"record: {where}{note}", file=sys.stderr)
    try:
        from learnable_novelty.report import save_figure

        print(f"figure: {save_figure(record, options.out)}", file=sys.stderr)
    except ModuleNotFoundError as error:
        if error.name != "matplotlib":
            raise
        print("figure: not drawn, it needs the [plot] extra", file=sys.stderr)
    return 0


def _list(options: argparse.Namespace) -> int:
    from learnable_novelty import records
    from learnable_novelty.experiments import EXPERIMENTS

    for name, text in EXPERIMENTS.items():
        held = [path.name for path in records.find(options.out, name)]
        print(f"{name:<16} {text}{'  [' + ', '.join(held) + ']' if held else ''}")
    return 0


def _render(options: argparse.Namespace) -> int:
    from learnable_novelty import records
    from learnable_novelty.report import save_figure

    paths = list(records.find(options.out, options.name))
    if not paths:
        named = f" of {options.name}" if options.name else ""
        raise ValueError(f"expected records{named} under {options.out}, found none")
    for path in paths:
        print(save_figure(records.load(path), options.out))
    return 0


def _print_tables(record: Any) -> None:
    from rich.console import Console
    from rich.table import Table as RichTable

    from learnable_novelty.report.base import tables_of

    console = Console()
    for table in tables_of(record):
        shown = RichTable(title=table.title, title_justify="left")
        for column in table.columns:
            shown.add_column(column)
        for row in table.rows:
            shown.add_row(*row)
        console.print(shown)


class _Bars:
    """A bar for the tasks, and one for the steps of the present task where it tells of them."""

    def __init__(self, progress: Any, title: str, total: int | None) -> None:
        self._progress = progress
        self._tasks = progress.add_task(title, total=total)
        self._steps: Any = None

    def __call__(self, done: int, of: int) -> None:
        self._progress.update(self._tasks, completed=done, total=of)

    def detail(self, text: str, done: int, of: int) -> None:
        if self._steps is None:
            self._steps = self._progress.add_task(text, total=of)
        self._progress.update(self._steps, description=text, completed=done, total=of)


@contextmanager
def _progress(title: str, total: int | None) -> Iterator[_Bars]:
    """Show progress on the error stream, so that the output stays clean."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    console = Console(stderr=True)
    with Progress(*columns, TimeRemainingColumn(), console=console, transient=True) as bar:
        yield _Bars(bar, title, total)


def _setting(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals:
        raise ValueError(f"--set takes NAME=VALUE, got {text!r}")
    try:
        parsed = ast.literal_eval(value)
    except (ValueError, SyntaxError):
        parsed = value
    return name.strip(), parsed


def _integers(name: str, text: str) -> list[int]:
    parts = text.split(",")
    if not all(part.strip().isdigit() for part in parts):
        raise ValueError(f"{name} takes whole numbers separated by commas, got {text!r}")
    return [int(part) for part in parts]


def _experiment(options: argparse.Namespace) -> str:
    """Name the experiment: the second half of the mdl appendix is one of its own."""
    if options.part is None:
        return options.name
    if options.name != "mdl":
        raise ValueError(f"--part is for mdl, got {options.name}")
    return "mdl" if options.part == "eca" else "mdl-nca"


def _engine(options: argparse.Namespace, module: Any) -> str:
    """Choose the engine, and refuse options that the experiment has no use for."""
    uses = getattr(module, "USES", ())
    if options.device != "cpu" and "device" not in uses:
        raise ValueError(f"{options.name} trains nothing and runs on the cpu, not {options.device}")
    if options.data is not None and "data" not in uses:
        raise ValueError(f"{options.name} reads no data, got --data {options.data}")
    if options.device == "cpu":
        return options.engine or getattr(module, "ENGINE", "cores")
    if options.engine not in (None, "serial"):
        raise ValueError(f"--device {options.device} needs --engine serial, got {options.engine}")
    return "serial"


def _run_overrides(options: argparse.Namespace) -> dict[str, Any]:
    """Turn the options of the neural automaton into settings."""
    overrides: dict[str, Any] = {}
    if options.update is not None:
        overrides["updates"] = (options.update,)
    if options.seeds is not None:
        numbers = _integers("--seeds", options.seeds)
        listed = "," in options.seeds
        overrides["seeds"] = tuple(numbers) if listed else tuple(range(numbers[0]))
        if not overrides["seeds"]:
            raise ValueError("--seeds takes at least one seed, got 0")
    return overrides


def _check_device(device: str) -> None:
    import torch

    try:
        kind = torch.device(device).type
    except RuntimeError:
        raise ValueError(f"--device takes cpu, cuda or cuda:N, got {device!r}") from None
    if kind not in ("cpu", "cuda"):
        raise ValueError(f"--device takes cpu, cuda or cuda:N, got {device!r}")
    if kind == "cuda" and not torch.cuda.is_available():
        raise ValueError(f"--device {device} needs a GPU, and torch finds none here")


def _check_seed(seed: int) -> None:
    if seed < 0:
        raise ValueError(f"--seed takes a non-negative integer, got {seed}")


def _check_drawable(path: Path) -> None:
    """Refuse before the work, not after it."""
    if path.suffix.lower() not in (".png", ".svg", ".pdf"):
        raise ValueError(f"--plot takes a .png, .svg or .pdf file, got {path}")
    if not path.parent.is_dir():
        raise ValueError(f"--plot needs an existing folder, {path.parent} is none")
    if importlib.util.find_spec("matplotlib") is None:
        raise ValueError("--plot needs the [plot] extra (matplotlib)")


if __name__ == "__main__":
    sys.exit(main())
