"""Which columns of a table can be learned from the others, and which tells about which."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from learnable_novelty.data.reading import read_table
from learnable_novelty.data.table import Column, encode
from learnable_novelty.engine import Report
from learnable_novelty.errors import UserError
from learnable_novelty.measure.cautions import (
    FEWEST_GROUPS,
    equal_rows,
    first_of_each,
    neighbours,
    outliers,
    refusal_of_groups,
)
from learnable_novelty.measure.classes import accuracy_of
from learnable_novelty.measure.defaults import draw_observers
from learnable_novelty.measure.draw import (
    FEWEST_SIGNS,
    FLOOR_REPEATS,
    denoised,
    fit_rows,
    rows_of,
    signed_products,
)
from learnable_novelty.measure.growth import FEWEST_SAMPLES, default_growing
from learnable_novelty.measure.held_out import Folds, held_out_share
from learnable_novelty.measure.importance import exchange_effects, place_inputs, shares
from learnable_novelty.measure.null import Null
from learnable_novelty.measure.p_values import adjust, p_value, tail_p_value
from learnable_novelty.measure.prepare import column_scale, number_groups, split_groups
from learnable_novelty.measure.scan_result import Relation, Scan
from learnable_novelty.measure.screen import unexplained_shares
from learnable_novelty.measure.shared_features import (
    Tested,
    explain_groups,
    membership,
    predict_groups,
)
from learnable_novelty.measure.surrogates import normal_scores
from learnable_novelty.measure.task import Settings
from learnable_novelty.measure.threads import few_threads
from learnable_novelty.observer.checks import whole_number
from learnable_novelty.observer.denoise import FALSE_RATE
from learnable_novelty.observer.observer import Observer
from learnable_novelty.observer.summary import Rows
from learnable_novelty.rearrange import Labels, Rearrangements
from learnable_novelty.seeds import check_seed, numpy_generator, split
from learnable_novelty.text import printable

MOST_ROWS, TEST_ROWS, PAIR_TEST_ROWS = 10_000, 4_000, 2_000
"""Rows that are fitted at most, and that a permutation test takes of them."""
FEWEST_ROWS, FEW_ROWS = 10, 2_000
PAIR_PERMUTATIONS = 499


@few_threads
def scan(
    data: Any,
    *,
    pairs: bool = False,
    grow: bool = False,
    draws: int | None = None,
    permutations: int | None = None,
    rows: int = MOST_ROWS,
    top: int | None = None,
    groups: Any = None,
    seed: int = 0,
    progress: Report | None = None,
) -> Scan:
    """Find the columns of a table that can be learned from the others.

    Every number, boolean and category is once the target, with all others as inputs. Rows with a
    gap are left out; so are inputs that have so many gaps that less than half of the rows would be
    left. P-values are those of ``score``, of a mean that can be learned, and adjusted for the
    number of columns (Benjamini and Hochberg 1995).

    Args:
        data: a data frame, the path of a file, or a ``Table``.
        pairs: take every ordered pair of columns instead: one input and one target. The test then
            ranks the values, and p-values below those of the permutations come from the
            exponential tail of their distribution.
        grow: let the observer of every target grow on one half of its rows, where that pays, and
            judge the other half; from 80 rows on. See docs/growing.md.
        draws: reservoirs to average over; 2 up to 2,000 rows by default, else 1, and 1 for pairs.
        permutations: of each test; by default 999, or more if that many columns need them, and 499
            for pairs.
        rows: how many rows are used at most, chosen at random.
        top: test this many columns only, for wide tables: those that a ridge on values and squares
            predicts best in rows that were left out. The others count as tests without a finding.
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
    columns = table.measured
    if table.missing not in (None, "drop") and any(column.missing for column in columns):
        raise UserError(
            "rows with gaps are left out of a scan: expected missing='drop' or no choice, got "
            f"{table.missing!r}"
        )
    if len(columns) < 2:
        raise UserError(
            f"expected at least two columns of numbers, booleans or categories, got {len(columns)}"
        )
    if top is not None and pairs:
        raise UserError("expected either pairs or top: top chooses targets; got both")
    if pairs and grow:
        raise UserError("expected either pairs or grow: one input needs no focus; got both")
    tests = len(columns) * (len(columns) - 1 if pairs else 1)
    # So that one finding among all tests can have an adjusted p-value of 0.05.
    count = PAIR_PERMUTATIONS if pairs else max(999, 20 * tests - 1)
    count = count if permutations is None else whole_number("permutations", permutations, 19)
    if draws is None:
        draws = 2 if table.num_rows <= FEW_ROWS and not pairs else 1
    settings = Settings(None, draws, Null(count), check_seed(seed))
    most = whole_number("rows", rows, FEWEST_ROWS)
    report = progress or (lambda _done, _total: None)
    inputs, notes = _usable(columns, table.num_rows)
    together, said, cautions = _looked_at(inputs, most, table.num_rows, groups)
    plan = Plan(settings, most, together)
    relations: list[Relation] = []
    able = [column for column in columns if column.is_target]
    targets = able if top is None else _most_promising(able, inputs, top, plan)
    if len(targets) < len(able):
        said = (
            *said,
            f"only {len(targets)} of {len(able)} columns are tested: those that the others seem "
            "to predict best; the rest count as tests without a finding",
        )
    report(0, len(targets))
    for done, column in enumerate(targets, start=1):
        if pairs:
            relations += _told_by(column, columns, plan)
        else:
            others = [other for other in inputs if other is not column]
            relations.append(_learned_from(others, column, plan, grow=grow))
        report(done, len(targets))
    adjusted = tuple(_adjusted(relations, len(able) - len(targets)))
    return Scan(
        relations=adjusted,
        names=tuple(column.name for column in columns),
        pairs=pairs,
        num_rows=table.num_rows,
        permutations=count,
        draws=draws,
        seed=settings.seed,
        notes=(*table.notes, *notes, *said, *_sampled(table.num_rows, most, pairs=pairs)),
        cautions=(*cautions, *_sizes_only(adjusted)),
        source=str(data) if isinstance(data, (str, Path)) else None,
        groups=named,
    )


def _usable(columns: Sequence[Column], num_rows: int) -> tuple[list[Column], list[str]]:
    """Leave out the inputs with most gaps until half of the rows are complete."""
    kept, notes = list(columns), []
    while len(kept) > 2:
        complete = num_rows - int(np.any([column.is_missing for column in kept], axis=0).sum())
        if 2 * complete >= num_rows:
            if complete < num_rows:
                notes.append(f"{num_rows - complete} of {num_rows} rows have gaps")
            break
        worst = max(kept, key=lambda column: column.missing)
        kept.remove(worst)
        notes.append(f"{worst.name} is no input: {worst.missing} of {num_rows} values are missing")
    return kept, notes


def _most_promising(
    columns: Sequence[Column], inputs: Sequence[Column], top: int, plan: Plan
) -> Sequence[Column]:
    """Choose the columns that are predicted best by the others, in the order of the table."""
    top = whole_number("top", top, 1)
    rows = _complete(inputs, plan.most, plan.settings.seed)
    if top >= len(columns) or len(rows) < FEWEST_ROWS:
        return columns
    encoded = encode(inputs, rows, is_input=True)
    left = unexplained_shares(encoded.matrix, encoded.places)
    best = set(sorted(left, key=left.__getitem__)[:top])
    return [column for column in columns if column.name in best]


def _sampled(num_rows: int, most: int, *, pairs: bool) -> Iterator[str]:
    tested = PAIR_TEST_ROWS if pairs else TEST_ROWS
    if num_rows > most:
        yield f"{most} of {num_rows} rows are used, chosen at random"
    if min(num_rows, most) > tested:
        yield f"permutation tests use {tested} rows"


@dataclass
class Plan:
    """What all columns share: settings, groups, and orders and signs that are drawn once."""

    settings: Settings
    most: int
    groups: Labels | None
    """Of the rows of the table."""
    _moves: dict[Any, Rearrangements] = field(default_factory=dict)

    def groups_of(self, rows: np.ndarray) -> Labels | None:
        """Return the groups of some rows, numbered from 0."""
        return None if self.groups is None else number_groups(self.groups[rows], len(rows))

    def is_testable(self, rows: np.ndarray) -> bool:
        """Tell whether there are enough rows, and enough groups of them."""
        labels = self.groups_of(rows) if len(rows) >= FEWEST_ROWS else None
        return len(rows) >= FEWEST_ROWS if labels is None else labels.max() >= FEWEST_GROUPS - 1

    def halves(self, rows: np.ndarray) -> tuple[np.ndarray, int]:
        """Return rows in an order whose first part shares no group with the others."""
        labels = self.groups_of(rows)
        if labels is None:
            return rows, len(rows) // 2
        first = np.unique(labels, return_index=True)[1]  # rows are in random order, so groups are
        order = np.argsort(first[labels], kind="stable")
        ends = np.flatnonzero(np.diff(first[labels][order])) + 1
        half = int(ends[np.abs(ends - len(rows) / 2).argmin()])
        return rows[np.concatenate([np.sort(order[:half]), np.sort(order[half:])])], half

    def moves(self, rows: np.ndarray) -> Rearrangements:
        """Return the orders and signs of as many rows."""
        labels, seed = self.groups_of(rows), self.settings.seed
        if labels is not None:
            return Rearrangements("groups", len(rows), seed, groups=labels)
        if len(rows) not in self._moves:
            self._moves[len(rows)] = Rearrangements("rows", len(rows), seed)
        return self._moves[len(rows)]

    def folds(self, rows: np.ndarray) -> Folds:
        """Cut rows into folds."""
        generator = numpy_generator(self.settings.seed, "folds")
        folds = Folds.of(len(rows), None, generator, self.groups_of(rows))
        assert folds is not None
        return folds

    def tested(self, observer: Observer, rows: np.ndarray, data: Rows, groups: Tensor) -> Tested:
        """Explain groups of targets, and their rearrangements."""
        moves, count = self.moves(rows), self.settings.null.drawn
        orders = () if moves.groups is not None else moves.orders("null", count, len(rows))
        signs = moves.signs("mean", max(FEWEST_SIGNS, count), stretches=False)
        return explain_groups(observer, data, groups, orders, signs)


def _p_values(tested: Sequence[Tested], group: int, tail: bool) -> tuple[float | None, float]:
    """Return p of dependence, which groups of rows do not have, and of a mean."""
    observed = float(np.mean([one.observed[group] for one in tested]))
    told = tail_p_value if tail else p_value
    permuted, signed = (
        np.mean([getattr(one, name)[:, group] for one in tested], axis=0)
        for name in ("permuted", "signed")
    )
    of_any = told(permuted, observed) if permuted.size else None
    of_mean = told(signed, observed)
    assert of_mean is not None
    return of_any, max(of_mean, of_any or 0.0)


def _looked_at(
    columns: Sequence[Column], most: int, num_rows: int, groups: Any
) -> tuple[Labels | None, tuple[str, ...], tuple[str, ...]]:
    """Return the groups of the rows of a table, what was decided, and cautions."""
    if groups is not None:
        labels = number_groups(groups, num_rows)
        if (refusal := refusal_of_groups(int(labels.max()) + 1)) is not None:
            raise UserError(refusal)
        return labels, (f"{labels.max() + 1} groups of rows stay together",), ()
    encoded = encode(columns, is_input=True)
    if len(encoded.rows) < FEWEST_ROWS:
        return None, (), ()
    values = torch.from_numpy(encoded.matrix)
    equal, said = equal_rows(values, values)
    far = (f"{c.name}: {text}" for c in columns if c.kind == "number" for text in _outlier(c))
    single = values if equal is None else values[torch.from_numpy(first_of_each(equal))]
    far = (*neighbours(single[:most], single[:most]), *far)
    if equal is None:
        return None, said, far
    labels = np.arange(num_rows) + len(equal)
    labels[encoded.rows] = equal
    return labels, said, far


def _outlier(column: Column) -> Iterator[str]:
    """Say that one value of a column makes much of its variance."""
    values = torch.from_numpy(column.values[~column.is_missing].astype(float))[:, None]
    if len(values) >= FEWEST_ROWS:
        yield from (text.partition(" column 1 ")[2] for text in outliers(values, values)[:1])


def _sizes_only(relations: Sequence[Relation]) -> Iterator[str]:
    """Name the columns that depend on others, but not in their mean."""
    names = {one.target for one in relations if one.is_of_size_only}
    if names:
        shown = ", ".join(map(printable, sorted(names)[:5])) + (", ..." if len(names) > 5 else "")
        yield (
            f"{shown}: some dependence (p <= 0.05), but no mean that can be learned; "
            "ln.dependence tests every kind of it"
        )


def _complete(columns: Sequence[Column], most: int, seed: int) -> np.ndarray:
    """Choose rows without gaps in these columns, in random order."""
    rows = np.flatnonzero(~np.any([column.is_missing for column in columns], axis=0))
    return numpy_generator(seed, "rows").permutation(rows)[:most]


def _inputs(columns: Sequence[Column], rows: np.ndarray) -> tuple[Tensor, dict[str, slice]]:
    """Return standardized inputs, and which of them a column became."""
    encoded = encode(columns, rows, is_input=True)
    values = torch.from_numpy(encoded.matrix)
    mean, scale = column_scale(values, 1)
    return (values - mean) / scale, encoded.places


def _targets(columns: Sequence[Column], rows: np.ndarray) -> tuple[Tensor, Tensor, list[slice]]:
    """Return targets in deviations, the deviations, and which of them a column became.

    The levels of a category share one deviation, so that a rare level counts by its rows.
    """
    encoded = encode(columns, rows)
    values = torch.from_numpy(encoded.matrix)
    scale = column_scale(values, 1)[1]
    places = list(encoded.places.values())
    for place in places:
        spread = (values[:, place] - values[:, place].mean(0)).square().mean()
        if place.stop - place.start > 1 and spread > 0:
            scale[place] = spread.sqrt()
    return values / scale, scale, places


def _grown(x: Tensor, y: Tensor, settings: Settings, half: int) -> Settings | None:
    """Return settings with an observer that grew on the first rows; None if none did."""
    if len(x) < FEWEST_SAMPLES:
        return None
    growing = default_growing(settings, tuple(x.shape))
    growth = growing.grow(x[:half], y[:half], seed=split(settings.seed, "grow"))
    return replace(settings, observer=growth.observer) if growth.has_grown else None


def _learned_from(inputs: Sequence[Column], target: Column, plan: Plan, *, grow: bool) -> Relation:
    """Learn one column from others."""
    settings = plan.settings
    rows = _complete([*inputs, target], plan.most, settings.seed)
    empty = Relation.unknown(tuple(c.name for c in inputs), target, len(rows))
    if not plan.is_testable(rows):
        return empty
    half = 0
    if grow:
        rows, half = plan.halves(rows)
    x, places = _inputs(inputs, rows)
    names = place_inputs(places, x.shape[1], history=1)
    y, unit, groups = _targets([target], rows)
    numbers = tuple(places[c.name].start for c in inputs if c.kind == "number")
    settings = replace(settings, numbers=numbers)
    grown = _grown(x, y, settings, half) if grow and plan.is_testable(rows[half:]) else None
    if grown is not None:  # the other rows are judged
        settings, x, y, rows = grown, x[half:], y[half:], rows[half:]
    together, folds = membership(groups, y.shape[1]), plan.folds(rows)
    tested, held_out, bits, effects = [], [], [], []
    few = min(len(rows), TEST_ROWS)
    for observer in draw_observers(settings, tuple(x.shape)):
        data = rows_of(observer, x, y)
        held_out += predict_groups(observer, data, together, folds)
        test = Rows(data.features[:few], data.targets[:few])
        tested.append(plan.tested(observer, rows[:few], test, together))
        fit = fit_rows(observer, data)

        def noise() -> Iterator[Tensor]:
            signs = plan.moves(rows).signs("edge", FLOOR_REPEATS, stretches=False)
            products = signed_products(fit, fit.unexplained(), signs, [0])  # noqa: B023 - used now
            return (crosses for crosses, _ in products)

        bits.append(denoised(fit, noise, settings).bits)
        effects.append(exchange_effects(fit, x, names))
    of_any, p = _p_values(tested, 0, tail=False)
    units = plan.groups_of(rows)
    share, interval = held_out_share(held_out, len(rows) if units is None else units, len(rows))
    chance = p > max(FALSE_RATE, 1 / (1 + settings.null.drawn))
    predicted = np.mean([one.predicted for one in held_out], axis=0)
    return replace(
        empty,
        num_rows=len(rows),
        grown=grown is not None,
        held_out_variance=share,
        held_out_interval=interval,
        p_value=p,
        dependence_p_value=of_any,
        denoised_bits=0.0 if chance else float(np.mean(bits)),
        importance=() if effects[0] is None else shares(np.sum(effects, axis=0), names),
        classes=accuracy_of(predicted, (y * unit).numpy(), unit.numpy()),
    )


def _told_by(source: Column, columns: Sequence[Column], plan: Plan) -> list[Relation]:
    """Learn every other column from one; columns without gaps share their features."""
    others = [column for column in columns if column is not source and column.is_target]
    complete = [column for column in others if not column.missing]
    by_target: dict[str, Relation] = {}
    for targets in ([complete] if complete else []) + [[c] for c in others if c.missing]:
        rows = _complete([source, *targets], plan.most, plan.settings.seed)
        empty = [Relation.unknown((source.name,), one, len(rows)) for one in targets]
        measured = empty
        if plan.is_testable(rows):
            measured = _measured_pairs(source, targets, rows, empty, plan)
        by_target |= {one.target: one for one in measured}
    return [by_target[column.name] for column in others]


def _measured_pairs(
    source: Column,
    targets: Sequence[Column],
    rows: np.ndarray,
    empty: Sequence[Relation],
    plan: Plan,
) -> list[Relation]:
    x, _ = _inputs([source], rows)
    y, unit, places = _targets(targets, rows)
    groups, folds, units = membership(places, y.shape[1]), plan.folds(rows), plan.groups_of(rows)
    few = min(len(rows), PAIR_TEST_ROWS)
    ranked_x = normal_scores(x[:few]) if source.kind == "number" else x[:few]
    # Numbers are ranked; levels of categories keep their common unit.
    numbers = torch.tensor([c.kind == "number" for c in targets], dtype=torch.float64)
    is_number = (groups @ numbers) > 0
    ranked_y = torch.where(is_number, normal_scores(y[:few]), y[:few])
    tested, held_out = [], []
    for observer in draw_observers(plan.settings, tuple(x.shape)):
        held_out.append(predict_groups(observer, rows_of(observer, x, y), groups, folds))
        test = rows_of(observer, ranked_x, ranked_y)
        tested.append(plan.tested(observer, rows[:few], test, groups))
    relations = []
    for group, (relation, place) in enumerate(zip(empty, places, strict=True)):
        many = [one[group] for one in held_out]
        share, interval = held_out_share(many, len(rows) if units is None else units, len(rows))
        of_any, p = _p_values(tested, group, tail=True)
        predicted = np.mean([one.predicted for one in many], axis=0)
        relations.append(
            replace(
                relation,
                held_out_variance=share,
                held_out_interval=interval,
                p_value=p,
                dependence_p_value=of_any,
                classes=accuracy_of(
                    predicted, (y[:, place] * unit[place]).numpy(), unit[place].numpy()
                ),
            )
        )
    return relations


def _adjusted(relations: list[Relation], untested: int) -> list[Relation]:
    """Adjust the p-values for the number of tests, and sort by what is explained."""
    tested = [one for one in relations if one.p_value is not None]
    adjusted = adjust([one.p_value for one in tested if one.p_value is not None] + untested * [1.0])
    done = [replace(one, adjusted_p=p) for one, p in zip(tested, adjusted, strict=False)]
    done.sort(key=lambda one: (-one.held_out_variance, one.adjusted_p or 0.0))
    return done + [one for one in relations if one.p_value is None]
