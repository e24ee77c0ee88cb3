"""``novelty depend``: test whether columns of a file depend on each other."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from learnable_novelty.cli.options import MOST_SHOWN, add_answer, check_drawable, check_seed
from learnable_novelty.cli.score import add_reading_options, read_decisions
from learnable_novelty.errors import UserError
from learnable_novelty.text import listed, printable

if TYPE_CHECKING:
    import numpy as np

    from learnable_novelty.data.table import Encoded


def add_commands(commands: Any) -> None:
    """Add ``depend``."""
    depend = commands.add_parser(
        "depend", help="test whether columns of a file depend on each other, in any way"
    )
    depend.add_argument("file", type=Path, help="a table, as for novelty score")
    depend.add_argument("--x", metavar="COLS", required=True, help="columns of one side")
    depend.add_argument("--y", metavar="COLS", required=True, help="columns of the other side")
    depend.add_argument(
        "--given", metavar="COLS", help="test given these columns, which may influence both sides"
    )
    depend.add_argument(
        "--permutations", type=int, metavar="N", default=999, help="number of permutations (999)"
    )
    depend.add_argument(
        "--blocks", type=int, metavar="L", help="rows are time steps: permute blocks of L rows"
    )
    add_reading_options(depend)
    add_answer(depend, "draw the result")
    depend.set_defaults(command=_depend)


def _depend(options: argparse.Namespace) -> int:
    from learnable_novelty.independence.dependence import dependence

    check_seed(options.seed)
    if options.plot is not None:
        check_drawable(options.plot)
    if options.groups is not None and options.blocks is not None:
        raise UserError("expected either --groups or --blocks, got both")
    sides, names, decisions, groups = _read(options)
    result = dependence(
        sides["x"],
        sides["y"],
        sides.get("given"),
        permutations=options.permutations,
        blocks=options.blocks,
        groups=groups,
        seed=options.seed,
    )
    if options.plot is not None:
        result.plot(options.plot)
    if options.json:
        described = {"file": str(options.file), **names, "decisions": decisions, **result.to_dict()}
        print(json.dumps(described, indent=1, allow_nan=False))
        return 0
    shown = {
        name: listed([*map(printable, columns)], MOST_SHOWN) for name, columns in names.items()
    }
    print(f"{printable(str(options.file))}: " + "; ".join(f"{n} = {c}" for n, c in shown.items()))
    for note in decisions:
        print(f"  {note}")
    print(result)
    if options.plot is not None:
        print(f"  drawn to {options.plot}")
    return 0


def _read(
    options: argparse.Namespace,
) -> tuple[dict[str, np.ndarray], dict[str, list[str]], list[str], np.ndarray | None]:
    """Return the columns of each side in the same rows, names, what was decided, and groups."""
    from learnable_novelty.data.choose import choose
    from learnable_novelty.data.names import positions
    from learnable_novelty.data.reading import read_table
    from learnable_novelty.measure.prepare import number_groups, split_groups

    where = options.file.name
    decisions = dict(vars(read_decisions(options)))
    if decisions["missing"] is None and options.blocks is None:
        decisions["missing"] = "drop"  # medians on both sides would look like a relation
    table, labels = split_groups(read_table(options.file, **decisions), options.groups)
    known = [column.name for column in table.columns]
    wanted = {"x": options.x, "y": options.y, "given": options.given}
    names = {
        side: [known[place] for place in positions(known, text, where)]
        for side, text in wanted.items()
        if text is not None
    }
    every = [name for side in names.values() for name in side]
    if twice := sorted({name for name in every if every.count(name) > 1}):
        listed = ", ".join(map(printable, twice))
        raise UserError(f"expected each column on one side, once, got {listed} twice")
    # All sides are chosen together, so that a row with a gap in one is left out of all.
    chosen = choose(table, every, is_series=options.blocks is not None, where=where)
    parts = {side: _numbers(chosen.inputs, many) for side, many in names.items()}
    rows = chosen.inputs.rows
    groups = None if labels is None else number_groups(labels[rows], len(rows))
    return parts, names, list(chosen.notes), groups


def _numbers(encoded: Encoded, names: list[str]) -> np.ndarray:
    """Return what columns became, with the marks of their gaps."""
    import numpy as np

    return np.concatenate([encoded.matrix[:, encoded.places[name]] for name in names], axis=1)
