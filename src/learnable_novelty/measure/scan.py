"""Which columns of a table can be learned from the others, and which tells about which."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from learnable_novelty.data.reading import read_table
from learnable_novelty.data.table import Column, encode
from learnable_novelty.engine import Report
from learnable_novelty.errors import UserError
from learnable_novelty.measure.cautions import cautions_of_rows
from learnable_novelty.measure.classes import accuracy_of
from learnable_novelty.measure.defaults import draw_observers
from learnable_novelty.measure.draw import FLOOR_REPEATS, denoised, fit_rows, rows_of
from learnable_novelty.measure.growth import FEWEST_SAMPLES, default_growing
from learnable_novelty.measure.held_out import Folds, held_out_share
from learnable_novelty.measure.importance import exchange_effects, place_inputs, shares
from learnable_novelty.measure.null import Null
from learnable_novelty.measure.p_values import adjust, p_value, tail_p_value
from learnable_novelty.measure.prepare import column_scale
from learnable_novelty.measure.rearrange import row_orders
from learnable_novelty.measure.scan_result import Relation, Scan
from learnable_novelty.measure.shared_features import (
    membership,
    permute_groups,
    predict_groups,
)
from learnable_novelty.measure.surrogates import normal_scores
from learnable_novelty.measure.task import Settings
from learnable_novelty.measure.threads import few_threads
from learnable_novelty.observer.checks import whole_number
from learnable_novelty.observer.denoise import FALSE_RATE
from learnable_novelty.observer.summary import Rows
from learnable_novelty.seeds import check_seed, numpy_generator, split

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
    seed: int = 0,
    progress: Report | None = None,
) -> Scan:
    """Find the columns of a table that can be learned from the others.

    Every number, boolean and category is once the target, with all others as inputs. Rows with a
    gap are left out; so are inputs that have so many gaps that less than half of the rows would be
    left. P-values are adjusted for the number of columns (Benjamini and Hochberg 1995).

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
    table = read_table(data)
    columns = table.measured
    if len(columns) < 2:
        raise UserError(
            f"expected at least two columns of numbers, booleans or categories, got {len(columns)}"
        )
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
    relations: list[Relation] = []
    report(0, len(columns))
    for done, column in enumerate(columns, start=1):
        if pairs:
            relations += _told_by(column, columns, most, settings)
        else:
            others = [other for other in inputs if other is not column]
            relations.append(_learned_from(others, column, most, settings, grow=grow))
        report(done, len(columns))
    return Scan(
        relations=tuple(_adjusted(relations)),
        names=tuple(column.name for column in columns),
        pairs=pairs,
        num_rows=table.num_rows,
        permutations=count,
        draws=draws,
        seed=settings.seed,
        notes=(*table.notes, *notes, *_sampled(table.num_rows, most, pairs=pairs)),
        cautions=_cautions(inputs, most),
        source=str(data) if isinstance(data, (str, Path)) else None,
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


def _sampled(num_rows: int, most: int, *, pairs: bool) -> Iterator[str]:
    tested = PAIR_TEST_ROWS if pairs else TEST_ROWS
    if num_rows > most:
        yield f"{most} of {num_rows} rows are used, chosen at random"
    if min(num_rows, most) > tested:
        yield f"permutation tests use {tested} rows"


def _cautions(columns: Sequence[Column], most: int) -> tuple[str, ...]:
    """Say what makes all p-values less than they seem: copies of rows, rows that are time."""
    encoded = encode(columns)
    if len(encoded.rows) < FEWEST_ROWS:
        return ()
    values = torch.from_numpy(encoded.matrix[:most])
    return tuple(text for text in cautions_of_rows(values, values) if "rows" in text)


def _complete(columns: Sequence[Column], most: int, seed: int) -> np.ndarray:
    """Choose rows without gaps in these columns, in random order."""
    rows = np.flatnonzero(~np.any([column.is_missing for column in columns], axis=0))
    return numpy_generator(seed, "rows").permutation(rows)[:most]


def _inputs(columns: Sequence[Column], rows: np.ndarray) -> tuple[Tensor, dict[str, slice]]:
    """Return standardized inputs, and which of them a column became."""
    encoded = encode(columns, rows)
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


def _grown(x: Tensor, y: Tensor, settings: Settings) -> Settings | None:
    """Return settings with an observer that grew on the first half of rows; None if none did."""
    half = len(x) // 2
    if len(x) < FEWEST_SAMPLES:
        return None
    growing = default_growing(settings, tuple(x.shape))
    growth = growing.grow(x[:half], y[:half], seed=split(settings.seed, "grow"))
    return replace(settings, observer=growth.observer) if growth.has_grown else None


def _learned_from(
    inputs: Sequence[Column], target: Column, most: int, settings: Settings, *, grow: bool
) -> Relation:
    """Learn one column from others."""
    rows = _complete([*inputs, target], most, settings.seed)
    empty = Relation.unknown(tuple(c.name for c in inputs), target, len(rows))
    if len(rows) < FEWEST_ROWS:
        return empty
    x, places = _inputs(inputs, rows)
    names = place_inputs(places, x.shape[1], history=1)
    y, unit, groups = _targets([target], rows)
    numbers = tuple(places[c.name].start for c in inputs if c.kind == "number")
    settings = replace(settings, numbers=numbers)
    grown = _grown(x, y, settings) if grow else None
    if grown is not None:  # rows are in random order, and the second half is judged
        half = len(rows) // 2
        settings, x, y, rows = grown, x[half:], y[half:], rows[half:]
    together, folds = membership(groups, y.shape[1]), _folds(len(rows), settings.seed)
    tested, held_out, bits, effects = [], [], [], []
    few = min(len(rows), TEST_ROWS)
    for observer in draw_observers(settings, tuple(x.shape)):
        data = rows_of(observer, x, y)
        held_out += predict_groups(observer, data, together, folds)
        test = Rows(data.features[:few], data.targets[:few])
        tested.append(permute_groups(observer, test, together, _orders(few, settings)))
        fit = fit_rows(observer, data)

        def noise() -> Iterator[Tensor]:
            orders = row_orders("rows", len(rows), (1,), FLOOR_REPEATS, settings.seed)
            return fit.moved_products(fit.unexplained(), orders)  # noqa: B023 - used at once

        bits.append(denoised(fit, noise, settings).bits)
        effects.append(exchange_effects(fit, x, names))
    null = np.mean([one.null for one in tested], axis=0)[:, 0]
    p = p_value(null, float(np.mean([one.observed for one in tested])))
    assert p is not None
    share, interval = held_out_share(held_out, len(rows), len(rows))
    chance = p > max(FALSE_RATE, 1 / (1 + null.size))
    predicted = np.mean([one.predicted for one in held_out], axis=0)
    return replace(
        empty,
        num_rows=len(rows),
        grown=grown is not None,
        held_out_variance=share,
        held_out_interval=interval,
        p_value=p,
        denoised_bits=0.0 if chance else float(np.mean(bits)),
        importance=() if effects[0] is None else shares(np.sum(effects, axis=0), names),
        classes=accuracy_of(predicted * unit.numpy(), (y * unit).numpy()),
    )


def _told_by(
    source: Column, columns: Sequence[Column], most: int, settings: Settings
) -> list[Relation]:
    """Learn every other column from one; columns without gaps share their features."""
    others = [column for column in columns if column is not source]
    complete = [column for column in others if not column.missing]
    by_target: dict[str, Relation] = {}
    for targets in ([complete] if complete else []) + [[c] for c in others if c.missing]:
        rows = _complete([source, *targets], most, settings.seed)
        empty = [Relation.unknown((source.name,), one, len(rows)) for one in targets]
        measured = empty
        if len(rows) >= FEWEST_ROWS:
            measured = _measured_pairs(source, targets, rows, empty, settings)
        by_target |= {one.target: one for one in measured}
    return [by_target[column.name] for column in others]


def _measured_pairs(
    source: Column,
    targets: Sequence[Column],
    rows: np.ndarray,
    empty: Sequence[Relation],
    settings: Settings,
) -> list[Relation]:
    x, _ = _inputs([source], rows)
    y, unit, places = _targets(targets, rows)
    groups, folds = membership(places, y.shape[1]), _folds(len(rows), settings.seed)
    few = min(len(rows), PAIR_TEST_ROWS)
    ranked_x = normal_scores(x[:few]) if source.kind == "number" else x[:few]
    # Numbers are ranked; levels of categories keep their common unit.
    numbers = torch.tensor([c.kind == "number" for c in targets], dtype=torch.float64)
    is_number = (groups @ numbers) > 0
    ranked_y = torch.where(is_number, normal_scores(y[:few]), y[:few])
    tested, held_out = [], []
    for observer in draw_observers(settings, tuple(x.shape)):
        held_out.append(predict_groups(observer, rows_of(observer, x, y), groups, folds))
        test = rows_of(observer, ranked_x, ranked_y)
        tested.append(permute_groups(observer, test, groups, _orders(few, settings)))
    observed = np.mean([one.observed for one in tested], axis=0)
    null = np.mean([one.null for one in tested], axis=0)
    relations = []
    for group, (relation, place) in enumerate(zip(empty, places, strict=True)):
        many = [one[group] for one in held_out]
        share, interval = held_out_share(many, len(rows), len(rows))
        predicted = np.mean([one.predicted for one in many], axis=0) * unit[place].numpy()
        relations.append(
            replace(
                relation,
                held_out_variance=share,
                held_out_interval=interval,
                p_value=tail_p_value(null[:, group], float(observed[group])),
                classes=accuracy_of(predicted, (y[:, place] * unit[place]).numpy()),
            )
        )
    return relations


def _folds(samples: int, seed: int) -> Folds:
    folds = Folds.of(samples, None, numpy_generator(seed, "folds"))
    assert folds is not None
    return folds


def _orders(rows: int, settings: Settings) -> Iterator[Tensor]:
    return row_orders("rows", rows, (1,), settings.null.drawn, split(settings.seed, "null"))


def _adjusted(relations: list[Relation]) -> list[Relation]:
    """Adjust the p-values for the number of tests, and sort by what is explained."""
    tested = [one for one in relations if one.p_value is not None]
    adjusted = adjust([one.p_value for one in tested if one.p_value is not None])
    done = [replace(one, adjusted_p=p) for one, p in zip(tested, adjusted, strict=True)]
    done.sort(key=lambda one: (-one.held_out_variance, one.adjusted_p or 0.0))
    return done + [one for one in relations if one.p_value is None]
