"""``novelty run``, ``list`` and ``render``: experiments, their records, their figures."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from learnable_novelty.cli import (
    ENGINES,
    check_device,
    check_seed,
    integers,
    print_tables,
    progress,
    setting,
)
from learnable_novelty.errors import UserError
from novelty_lab.cli import agents
from novelty_lab.torchrun import started_by_torchrun


def add_commands(commands: Any) -> None:
    """Add ``run``, ``list`` and ``render``."""
    run = commands.add_parser("run", help="run an experiment of the paper")
    run.add_argument("name", help="see novelty list")
    run.add_argument("--config", default="paper", choices=("paper", "quick"))
    run.add_argument("--seed", type=int, default=0)
    run.add_argument("--out", type=Path, default=Path("results"), help="results folder (results)")
    run.add_argument("--json", action="store_true", help="print the record")
    run.add_argument("--engine", help=f"{ENGINES} (serial for trainings, cores for the rest)")
    run.add_argument("--force", action="store_true", help="run again even if the record is there")
    run.add_argument("--resume", action="store_true", help="only go on with a run that was cut off")
    run.add_argument("--device", default="cpu", help="where to compute: cpu (default), cuda")
    run.add_argument("--data", type=Path, metavar="DIR", help="folder with the image files")
    run.add_argument("--update", choices=("residual", "direct"), help="nca: one update rule only")
    run.add_argument(
        "--seeds", metavar="N", help="nca: how many training seeds, or 0,3,5; rl-table: 0-9"
    )
    run.add_argument("--part", choices=("eca", "nca"), help="mdl: which half of the appendix")
    run.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="change one setting"
    )
    agents.add_table_options(run)
    run.set_defaults(command=_run)

    listing = commands.add_parser("list", help="list the experiments and their records")
    listing.add_argument("--out", type=Path, default=Path("results"))
    listing.set_defaults(command=_list)

    render = commands.add_parser("render", help="draw all figures again from their records")
    render.add_argument("name", nargs="?", help="one experiment only")
    render.add_argument("--out", type=Path, default=Path("results"))
    render.set_defaults(command=_render)


def _run(options: argparse.Namespace) -> int:
    from learnable_novelty.engine import open_engine
    from novelty_lab.report import tables_of
    from novelty_lab.runner import COLLECTIONS, configure, module_of, run_experiment
    from novelty_lab.torchrun import joined

    if options.name in COLLECTIONS:
        return agents.run_table(options)
    agents.refuse_table_options(options)
    check_seed(options.seed)
    check_device(options.device)
    name = _experiment(options)
    overrides = dict(setting(text) for text in options.set) | _run_overrides(options)
    configure(name, options.config, overrides)
    engine = _engine(options, module_of(name))
    with (
        joined(options.device, options.out, name) as (speaks, root),
        open_engine(engine) as executor,
        progress(name, None, show=speaks) as report,
    ):
        record, fresh = run_experiment(
            name,
            options.config,
            seed=options.seed,
            root=root,
            executor=executor,
            report=report,
            detail=report.detail,
            device=options.device,
            data=options.data,
            overrides=overrides,
            force=options.force,
            resume=options.resume,
        )
    if not speaks:
        return 0
    if options.json:
        print(json.dumps(record.to_json(), indent=1))
    else:
        print_tables(tables_of(record))
    where = record.path(options.out)
    note = "" if fresh else " (already there; --force runs it again)"
    print(f"record: {where}{note}", file=sys.stderr)
    try:
        from novelty_lab.report import save_figure

        print(f"figure: {save_figure(record, options.out)}", file=sys.stderr)
    except ModuleNotFoundError as error:
        if error.name != "matplotlib":
            raise
        print("figure: not drawn, it needs the [plot] extra", file=sys.stderr)
    return 0


def _list(options: argparse.Namespace) -> int:
    from novelty_lab import records
    from novelty_lab.runner import COLLECTIONS, EXPERIMENTS

    for name, text in EXPERIMENTS.items():
        held = [path.name for path in records.find(options.out, name)]
        print(f"{name:<16} {text}{'  [' + ', '.join(held) + ']' if held else ''}")
    for name, text in COLLECTIONS.items():
        held = list(records.find(options.out, name))
        print(f"{name:<16} {text}{f'  [{len(held)} runs]' if held else ''}")
    return 0


def _render(options: argparse.Namespace) -> int:
    from novelty_lab import records
    from novelty_lab.report import save_collection, save_figure
    from novelty_lab.runner import COLLECTIONS

    paths = list(records.find(options.out, options.name))
    if not paths:
        named = f" of {options.name}" if options.name else ""
        raise UserError(f"expected records{named} under {options.out}, found none")
    for path in paths:
        if path.parent.name not in COLLECTIONS:
            print(save_figure(records.load(path), options.out))
    for name in COLLECTIONS:
        runs = [records.load(path) for path in paths if path.parent.name == name]
        if runs:
            print(*save_collection(runs, options.out), sep="\n")
        if runs and options.name == name:
            print_tables(agents.tables_of_runs(runs))
    return 0


def _experiment(options: argparse.Namespace) -> str:
    """Name the experiment: the second half of the mdl appendix is one of its own."""
    if options.part is None:
        return options.name
    if options.name != "mdl":
        raise UserError(f"--part is for mdl, got {options.name}")
    return "mdl" if options.part == "eca" else "mdl-nca"


def _engine(options: argparse.Namespace, module: Any) -> str:
    """Choose the engine, and refuse options that the experiment has no use for."""
    uses = getattr(module, "USES", ())
    if options.device != "cpu" and "device" not in uses:
        raise UserError(f"{options.name} trains nothing and runs on the cpu, not {options.device}")
    if options.data is not None and "data" not in uses:
        raise UserError(f"{options.name} reads no data, got --data {options.data}")
    if started_by_torchrun():
        if "ranks" not in uses:
            raise UserError(f"{options.name} is not divided among ranks: run it without torchrun")
        if options.engine not in (None, "serial"):
            raise UserError(f"torchrun needs --engine serial, got {options.engine}")
        return "serial"
    if options.device == "cpu":
        return options.engine or getattr(module, "ENGINE", "cores")
    if options.engine not in (None, "serial"):
        raise UserError(f"--device {options.device} needs --engine serial, got {options.engine}")
    return "serial"


def _run_overrides(options: argparse.Namespace) -> dict[str, Any]:
    """Turn the options of the neural automaton into settings."""
    overrides: dict[str, Any] = {}
    if options.update is not None:
        overrides["updates"] = (options.update,)
    if options.seeds is not None:
        numbers = integers("--seeds", options.seeds)
        listed = "," in options.seeds or "-" in options.seeds
        overrides["seeds"] = tuple(numbers) if listed else tuple(range(numbers[0]))
        if not overrides["seeds"]:
            raise UserError("--seeds takes at least one seed, got 0")
    return overrides
