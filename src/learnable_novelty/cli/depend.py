"""``novelty depend``: test whether columns of a file depend on each other."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from learnable_novelty.cli.options import check_drawable, check_seed
from learnable_novelty.text import printable


def add_commands(commands: Any) -> None:
    """Add ``depend``."""
    depend = commands.add_parser(
        "depend", help="test whether columns of a file depend on each other, in any way"
    )
    depend.add_argument("file", type=Path, help="a table, as for novelty score")
    depend.add_argument("--x", metavar="COLS", required=True, help="columns of the one side")
    depend.add_argument("--y", metavar="COLS", required=True, help="columns of the other side")
    depend.add_argument("--given", metavar="COLS", help="columns that may drive both")
    depend.add_argument(
        "--permutations", type=int, metavar="N", default=999, help="rearrangements (999)"
    )
    depend.add_argument(
        "--blocks", type=int, metavar="L", help="rows are time: rearrange blocks of L rows"
    )
    depend.add_argument("--seed", type=int, default=0)
    depend.add_argument("--plot", type=Path, metavar="OUT.png", help="draw the result")
    depend.add_argument("--json", action="store_true", help="print JSON")
    depend.set_defaults(command=_depend)


def _depend(options: argparse.Namespace) -> int:
    from learnable_novelty.independence import dependence
    from learnable_novelty.measure import read_columns

    check_seed(options.seed)
    if options.plot is not None:
        check_drawable(options.plot)
    chosen = read_columns(options.file, options.x, options.y)
    given = None
    names = {"x": chosen.input_names, "y": chosen.target_names}
    if options.given is not None:
        third = read_columns(options.file, options.given, options.y)
        given, names["given"] = third.inputs, third.input_names
    result = dependence(
        chosen.inputs,
        chosen.targets,
        given,
        permutations=options.permutations,
        blocks=options.blocks,
        seed=options.seed,
    )
    if options.plot is not None:
        result.plot(options.plot)
    if options.json:
        described = {"file": str(options.file), **names, **result.to_dict()}
        print(json.dumps(described, indent=1, allow_nan=False))
        return 0
    shown = {name: ", ".join(map(printable, columns)) for name, columns in names.items()}
    print(f"{printable(str(options.file))}: " + "; ".join(f"{n} = {c}" for n, c in shown.items()))
    print(result)
    if options.plot is not None:
        print(f"  drawn to {options.plot}")
    return 0
