"""Which columns of a table can be learned from the others, and which tells about which."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from learnable_novelty.data.reading import read_table
from learnable_novelty.data.table import Column, Table, encode, gaps_of
from learnable_novelty.engine import Report
from learnable_novelty.errors import UserError
from learnable_novelty.measure.cautions import (
    equal_rows,
    first_of_each,
    neighbours,
    outliers,
    refusal_of_groups,
)
from learnable_novelty.measure.null import Null
from learnable_novelty.measure.p_values import adjust
from learnable_novelty.measure.prepare import number_groups, split_groups
from learnable_novelty.measure.relations import (
    FEWEST_ROWS,
    PAIR_TEST_ROWS,
    TEST_ROWS,
    Plan,
    learned_from,
    standard_inputs,
    told_by,
)
from learnable_novelty.measure.scan_result import Relation, Scan
from learnable_novelty.measure.screen import partners
from learnable_novelty.measure.task import Settings
from learnable_novelty.measure.threads import few_threads
from learnable_novelty.observer.checks import whole_number
from learnable_novelty.rearrange import Labels
from learnable_novelty.seeds import check_seed
from learnable_novelty.text import printable

MOST_ROWS = 10_000
"""Rows that are fitted at most."""
PAIR_PERMUTATIONS, MOST_PAIRED = 499, 1_000
WIDE, WIDE_TOP = 200, 50
"""Columns from which on a table of fewer rows is wide, and how many of them are then tested."""
MOST_PARTNERS, ROWS_PER_PARTNER = 20, 16
NAMED = 5
"""Columns that a note or a caution names."""

Trial = tuple[Column, list[Column], np.ndarray]
"""A target, its inputs and rows."""


@few_threads
def scan(
    data: Any,
    *,
    pairs: bool = False,
    draws: int = 1,
    permutations: int | None = None,
    rows: int = MOST_ROWS,
    top: int | None = None,
    groups: Any = None,
    seed: int = 0,
    progress: Report | None = None,
) -> Scan:
    """Find the columns of a table that can be learned from the others.

    Every number, boolean and category is once the target, with all others as inputs. The observer,
    its folds and what is done about gaps are those of ``score``, and so is the share. Where columns
    are chosen, and for pairs, rows with gaps are left out, and so are inputs that have so many gaps
    that less than half of the rows would be left. P-values are of a mean that can be learned, and
    adjusted for the number of tests (Benjamini and Hochberg 1995).

    Args:
        data: a data frame, the path of a file, or a ``Table``.
        pairs: take every ordered pair of columns instead: one input and one target. The test then
            ranks the values, and p-values below those of the permutations come from the
            exponential tail of their distribution.
        draws: reservoirs to average over; those of a table hardly differ.
        permutations: of each test; by default 999, or more if that many columns need them, and 499
            for pairs.
        rows: how many rows are used at most, chosen at random.
        top: test this many columns only, each with at most 20 inputs. One half of the rows chooses
            both, by correlations with values and squares; the other half tests them. By default
            50 in a table of more than 200 columns and more columns than rows, else all.
        groups: a column of the table, or a label for each row: rows with the same one depend on
            each other, as for ``score``.
        seed: of reservoirs, folds and permutations.
        progress: called with the number of columns done and to do.

    Returns:
        A ``Scan``: print it, plot it, or take its ``rows()`` or ``to_frame()``.

    >>> rng = np.random.default_rng(0)
    >>> a, b = rng.standard_normal((2, 300))
    >>> scanned = scan({"a": a, "b": b, "c": a * a})
    >>> [relation.target for relation in scanned.discoveries()]
    ['c']
    """
    named = groups if isinstance(groups, str) else None
    table, groups = split_groups(read_table(data), groups)
    if groups is None and table.groups is not None:
        named, groups = table.groups.name, table.groups.values
    time = table.time
    if time is not None:
        order = np.argsort(time.values, kind="stable")
        table = replace(
            table, columns=tuple(replace(c, values=c.values[order]) for c in table.columns)
        )
        groups = None if groups is None else np.asarray(groups)[order]
    columns, targets = table.measured, table.targets
    top = _checked(table, pairs=pairs, top=top)
    tests = min(len(targets), top or len(targets))
    # So that one finding among all tests can have an adjusted p-value of 0.05.
    count = PAIR_PERMUTATIONS if pairs else max(999, 20 * tests - 1)
    count = count if permutations is None else whole_number("permutations", permutations, 19)
    settings = Settings(None, draws, Null(count), check_seed(seed))
    fill = table.missing != "drop" and not pairs and top is None
    inputs, notes = (list(columns), []) if fill else _usable(columns, table.num_rows)
    if fill and (count_of_gaps := int(gaps_of(columns, table.num_rows).sum())):
        notes = [f"{count_of_gaps} of {table.num_rows} rows have gaps: filled in inputs"]
    together, said = _grouped(inputs, table.num_rows, groups, fill=fill)
    most = whole_number("rows", rows, FEWEST_ROWS)
    plan = Plan(settings, most, together, given=groups is not None, is_dated=time is not None)
    looked_at = inputs
    if pairs:
        found = (told_by(column, columns, plan) for column in columns)
    elif top is None:
        found = _learned(_all(targets, inputs, plan, fill=fill), plan)
    else:
        trials, chosen = _chosen(inputs, top, plan)
        said = (*said, chosen)
        looked_at = [one for target, told, _ in trials for one in (target, *told)]
        found = _learned(trials, plan)
    adjusted = tuple(_adjusted(_all_of(found, len(columns) if pairs else tests, progress)))
    cautions = () if groups is not None else _cautions(looked_at, plan, pairs=pairs)
    return Scan(
        relations=adjusted,
        names=tuple(column.name for column in columns),
        pairs=pairs,
        num_rows=table.num_rows,
        permutations=count,
        draws=draws,
        seed=settings.seed,
        notes=(*table.notes, *notes, *said, *_sampled(table.num_rows, plan.most, pairs=pairs)),
        cautions=(*cautions, *_sizes_only(adjusted)),
        source=str(data) if isinstance(data, (str, Path)) else None,
        groups=named,
    )


def _checked(table: Table, *, pairs: bool, top: int | None) -> int | None:
    """Return how many columns are tested, None for all; raise unless the choices go together."""
    columns = table.measured
    if table.missing not in (None, "fill", "drop") and any(column.missing for column in columns):
        raise UserError(
            "gaps are filled or their rows left out in a scan: expected missing='fill' or 'drop', "
            f"got {table.missing!r}"
        )
    if len(columns) < 2:
        raise UserError(
            f"expected at least two columns of numbers, booleans or categories, got {len(columns)}"
        )
    if pairs and top is not None:
        raise UserError("expected either pairs or top: top chooses targets; got both")
    if pairs and len(columns) > MOST_PAIRED:
        raise UserError(
            f"expected at most {MOST_PAIRED} columns for pairs, got {len(columns)}: choose some, "
            "or scan without pairs"
        )
    if pairs or top is not None:
        return None if top is None else whole_number("top", top, 1)
    return WIDE_TOP if len(columns) > max(WIDE, table.num_rows) else None


def _usable(columns: Sequence[Column], num_rows: int) -> tuple[list[Column], list[str]]:
    """Leave out the inputs with most gaps until half of the rows are complete."""
    order = sorted(range(len(columns)), key=lambda k: (columns[k].missing, -k))
    gaps, kept, complete = np.zeros(num_rows, dtype=bool), 0, num_rows
    for k in order:
        more = gaps | columns[k].is_missing
        left = num_rows - int(more.sum())
        if kept >= 2 and 2 * left < num_rows:
            break
        gaps, kept, complete = more, kept + 1, left
    notes = []
    worst = [columns[k] for k in reversed(order[kept:])]
    for column in worst[:NAMED]:
        missing = f"{column.missing} of {num_rows} values are missing"
        notes.append(f"{column.name} is no input: {missing}")
    if len(worst) > NAMED:
        notes.append(f"nor are {len(worst) - NAMED} other columns with gaps")
    if complete < num_rows <= 2 * complete:
        notes.append(f"{num_rows - complete} of {num_rows} rows have gaps")
    return [columns[k] for k in sorted(order[:kept])], notes


def _grouped(
    columns: Sequence[Column], num_rows: int, groups: Any, *, fill: bool
) -> tuple[Labels | None, tuple[str, ...]]:
    """Return the groups of the rows of a table, those that were given or of equal rows."""
    if groups is not None:
        labels = number_groups(groups, num_rows)
        if (refusal := refusal_of_groups(int(labels.max()) + 1)) is not None:
            raise UserError(refusal)
        return labels, (f"{labels.max() + 1} groups of rows stay together",)
    encoded = encode(columns, np.arange(num_rows) if fill else None, fill=fill, is_input=True)
    if len(encoded.rows) < FEWEST_ROWS:
        return None, ()
    values = torch.from_numpy(encoded.matrix)
    equal, said = equal_rows(values, values[:, :0])
    if equal is None:
        return None, said
    labels = np.arange(num_rows) + len(equal)
    labels[encoded.rows] = equal
    return labels, said


def _all(
    targets: Sequence[Column], inputs: Sequence[Column], plan: Plan, *, fill: bool
) -> Iterator[Trial]:
    """Let every column be the target of all others."""
    for target in targets:
        others = [other for other in inputs if other is not target]
        yield target, others, np.sort(plan.complete([target] if fill else [*others, target]))


def _chosen(columns: Sequence[Column], top: int, plan: Plan) -> tuple[list[Trial], str]:
    """Choose targets and inputs by one half of the rows, for tests on the other."""
    rows = plan.complete(columns)
    rows, half = plan.halves(rows) if len(rows) else (rows, 0)
    first, second = rows[:half], rows[half:]
    if not (len(first) >= FEWEST_ROWS and plan.is_testable(second)):
        raise UserError(
            f"{len(columns)} columns are too many for {len(rows)} rows without gaps: one half "
            f"chooses columns and the other tests them, each with at least {FEWEST_ROWS} rows and "
            "8 groups; choose columns yourself"
        )
    x, places = standard_inputs(columns, first)
    most = min(MOST_PARTNERS, max(2, len(second) // ROWS_PER_PARTNER))
    able = [column.is_target for column in columns]
    found = partners(x, list(places.values()), able, top, most)
    trials = [(columns[target], [columns[k] for k in told], second) for target, told in found]
    return trials, (
        f"{len(first)} rows chose {len(trials)} of {len(columns)} columns, and for each at most "
        f"{most} inputs that seem to predict it best; the other {len(second)} rows test them"
    )


def _learned(trials: Iterable[Trial], plan: Plan) -> Iterator[list[Relation]]:
    for target, inputs, rows in trials:
        yield [learned_from(inputs, target, rows, plan)]


def _all_of(
    found: Iterable[list[Relation]], total: int, report: Report | None
) -> Iterator[Relation]:
    """Report how many are done."""
    tell = report or (lambda _done, _total: None)
    tell(0, total)
    for done, some in enumerate(found, start=1):
        yield from some
        tell(done, total)


def _sampled(num_rows: int, most: int, *, pairs: bool) -> Iterator[str]:
    tested = PAIR_TEST_ROWS if pairs else TEST_ROWS
    if num_rows > most:
        yield f"{most} of {num_rows} rows are used, chosen at random"
    if min(num_rows, most) > tested:
        yield f"permutation tests use {tested} rows"


def _cautions(columns: Iterable[Column], plan: Plan, *, pairs: bool) -> Iterator[str]:
    """Say what makes the p-values less than they seem."""
    columns = list({column.name: column for column in columns}.values())
    encoded = encode(columns, is_input=True)
    if len(encoded.rows) < FEWEST_ROWS:
        return
    values = torch.from_numpy(encoded.matrix)
    if plan.groups is not None:
        values = values[torch.from_numpy(first_of_each(plan.groups[encoded.rows]))]
    if pairs:  # columns one by one are tested by blocks
        yield from neighbours(values[: plan.most], values[: plan.most])
    yield from _few(f"{c.name}: {text}" for c in columns for text in _outlier(c))


def _few(texts: Iterable[str]) -> Iterator[str]:
    """Yield the first cautions, and how many more there are."""
    every = list(texts)
    yield from every[:NAMED]
    if len(every) > NAMED:
        yield f"the same is true of {len(every) - NAMED} other columns"


def _outlier(column: Column) -> Iterator[str]:
    """Say that one value of a column makes much of its variance."""
    if column.kind != "number":
        return
    values = torch.from_numpy(column.values[~column.is_missing].astype(float))[:, None]
    if len(values) >= FEWEST_ROWS:
        yield from (text.partition(" column 1 ")[2] for text in outliers(values, values)[:1])


def _sizes_only(relations: Sequence[Relation]) -> Iterator[str]:
    """Name the columns that depend on others, but not in their mean."""
    names = {one.target for one in relations if one.is_of_size_only}
    if names:
        shown = ", ".join(map(printable, sorted(names)[:NAMED]))
        yield (
            f"{shown}{', ...' if len(names) > NAMED else ''}: some dependence (p <= 0.05), but no "
            "mean that can be learned; ln.dependence tests every kind of it"
        )


def _adjusted(found: Iterable[Relation]) -> list[Relation]:
    """Adjust the p-values for the number of tests, and sort by what is explained."""
    relations = list(found)
    tested = [one for one in relations if one.p_value is not None]
    adjusted = adjust([one.p_value for one in tested if one.p_value is not None])
    done = [replace(one, adjusted_p=p) for one, p in zip(tested, adjusted, strict=True)]
    done.sort(key=lambda one: (-one.held_out_variance, one.adjusted_p or 0.0))
    return done + [one for one in relations if one.p_value is None]
