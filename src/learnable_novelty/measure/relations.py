"""What some columns of a table tell about one, and what one tells about each of the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from learnable_novelty.data.memory import MemoryRows
from learnable_novelty.data.source import Layout
from learnable_novelty.data.table import Column, encode, gaps_of
from learnable_novelty.measure.cautions import FEWEST_GROUPS
from learnable_novelty.measure.classes import accuracy_of
from learnable_novelty.measure.defaults import draw_observers
from learnable_novelty.measure.dependent_rows import DependentRows, dependent_rows
from learnable_novelty.measure.draw import (
    FEWEST_SIGNS,
    FLOOR_REPEATS,
    denoising,
    fit_rows,
    rows_of,
    signed_products,
)
from learnable_novelty.measure.held_out import Folds, HeldOut, gain_p_value, held_out_share
from learnable_novelty.measure.importance import exchange_effects, place_inputs, shares
from learnable_novelty.measure.p_values import p_value, tail_p_value
from learnable_novelty.measure.prepare import column_scale, columns_in_units, number_groups
from learnable_novelty.measure.scan_result import Relation
from learnable_novelty.measure.shared_features import (
    Tested,
    explain_groups,
    membership,
    predict_groups,
)
from learnable_novelty.measure.surrogates import normal_scores
from learnable_novelty.measure.task import Settings, Task
from learnable_novelty.observer.denoise import FALSE_RATE
from learnable_novelty.observer.fit import Fit
from learnable_novelty.observer.observer import Observer
from learnable_novelty.observer.summary import Rows
from learnable_novelty.rearrange import Labels, Rearrangements
from learnable_novelty.seeds import numpy_generator

TEST_ROWS, PAIR_TEST_ROWS = 4_000, 2_000
"""Rows that a permutation test takes at most."""
FEWEST_ROWS = 10


@dataclass
class Plan:
    """What all columns share: settings, groups, and orders and signs that are drawn once."""

    settings: Settings
    most: int
    """Rows that are fitted."""
    groups: Labels | None
    """Of the rows of the table."""
    given: bool = False
    """Whether the user, or a column, named the groups."""
    is_dated: bool = False
    """Whether rows are in the order of a column that dates them."""
    length: int = 0
    """Of blocks of neighbouring rows, if groups are these."""
    _moves: dict[Any, Rearrangements] = field(default_factory=dict)

    def complete(self, columns: Sequence[Column]) -> np.ndarray:
        """Choose rows without gaps in these columns, in random order."""
        rows = np.flatnonzero(~gaps_of(columns, len(columns[0].values)))
        return numpy_generator(self.settings.seed, "rows").permutation(rows)[: self.most]

    def some(self, count: int, most: int) -> np.ndarray:
        """Choose places at random, in order; all of them where they are few."""
        if count <= most:
            return np.arange(count)
        return np.sort(numpy_generator(self.settings.seed, "some").permutation(count)[:most])

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
        if labels is not None and self.length:
            return Rearrangements("blocks", len(rows), seed, spacing=self.length, groups=labels)
        if labels is not None:
            return Rearrangements("groups", len(rows), seed, groups=labels)
        if len(rows) not in self._moves:
            self._moves[len(rows)] = Rearrangements("rows", len(rows), seed)
        return self._moves[len(rows)]

    def folds(self, rows: np.ndarray) -> Folds:
        """Cut rows into folds."""
        generator = numpy_generator(self.settings.seed, "folds")
        groups = None if self.length else self.groups_of(rows)
        folds = Folds.of(len(rows), self.length or None, generator, groups)
        assert folds is not None
        return folds

    def tested(self, observer: Observer, rows: np.ndarray, data: Rows, groups: Tensor) -> Tested:
        """Explain groups of targets, and their rearrangements."""
        moves, count = self.moves(rows), self.settings.null.drawn
        is_moved = moves.kind != "groups"
        orders = moves.orders("null", count, len(rows)) if is_moved else ()
        signs = moves.signs("mean", max(FEWEST_SIGNS, count), stretches=False)
        return explain_groups(observer, data, groups, orders, signs)

    def together(self, rows: np.ndarray, found: DependentRows) -> Plan:
        """Return the plan of rows that depend on each other."""
        labels = np.arange(max(int(rows.max()) + 1, 0)) + len(rows)
        labels[rows] = found.labels
        return replace(self, groups=labels, length=found.length, _moves={})

    def noise(self, fit: Fit, rows: np.ndarray) -> Iterator[Tensor]:
        """Yield products of the components with residuals under random signs."""
        signs = self.moves(rows).signs("edge", FLOOR_REPEATS, stretches=False)
        products = signed_products(fit, fit.unexplained(), signs, [0])
        return (crosses for crosses, _ in products)

    def measured(
        self, many: Sequence[HeldOut], rows: np.ndarray, y: Tensor, unit: Tensor
    ) -> dict[str, Any]:
        """Return what of a target is predicted in rows that were left out, and which classes."""
        units = self.groups_of(rows)
        share, interval = held_out_share(many, len(rows) if units is None else units, len(rows))
        predicted = HeldOut.mean(many).predicted
        assert predicted is not None
        classes = accuracy_of(predicted, (y * unit).numpy(), unit.numpy())
        return {"held_out_variance": share, "held_out_interval": interval, "classes": classes}


def learned_from(
    inputs: Sequence[Column], target: Column, rows: np.ndarray, plan: Plan
) -> Relation:
    """Learn one column from others; gaps of these are filled and marked."""
    settings = plan.settings
    empty = Relation.unknown(tuple(c.name for c in inputs), target, len(rows))
    if not plan.is_testable(rows):
        return empty
    encoded = [encode(inputs, rows, fill=True, is_input=True), encode([target], rows)]
    data = MemoryRows(*(torch.from_numpy(one.matrix) for one in encoded))
    task = Task.of(Layout.of(data.inputs, data.targets), settings)
    task, x, y = columns_in_units(data, task, settings)
    names = place_inputs(encoded[0].places, x.shape[1], history=1)
    found = None if plan.given else dependent_rows(x, y, is_dated=plan.is_dated)
    if found is not None:
        plan = plan.together(rows, found)
        empty = replace(empty, tested_by=found.tested_by, refusal=found.refusal)
    if found is not None and (found.refusal is not None or not plan.is_testable(rows)):
        return empty
    together, folds = y.new_ones(y.shape[1], 1), plan.folds(rows)
    tested, held_out, bits, effects = [], [], [], []
    few = plan.some(len(rows), TEST_ROWS)
    for observer in draw_observers(settings, tuple(x.shape), x):
        features = rows_of(observer, x, y)
        held_out.append(folds.errors(observer, features, x))
        test = Rows(features.features[few], features.targets[few])
        tested.append(plan.tested(observer, rows[few], test, together))
        fit = fit_rows(observer, features)
        bits.append(denoising(fit, lambda fit=fit: plan.noise(fit, rows), settings)(fit).bits)
        effects.append(exchange_effects(fit, x, names))
    of_any, p = _p_values(tested, 0, tail=False)
    if plan.length and found is not None:
        p = max(p, gain_p_value(held_out, found.labels))
    chance = p > max(FALSE_RATE, 1 / (1 + settings.null.drawn))
    return replace(
        empty,
        num_rows=len(rows),
        p_value=p,
        dependence_p_value=of_any,
        denoised_bits=0.0 if chance else float(np.mean(bits)),
        importance=() if effects[0] is None else shares(np.sum(effects, axis=0), names),
        **plan.measured(held_out, rows, y, torch.as_tensor(task.target_unit)),
    )


def told_by(source: Column, columns: Sequence[Column], plan: Plan) -> list[Relation]:
    """Learn every other column from one; columns without gaps share their features."""
    others = [column for column in columns if column is not source and column.is_target]
    complete = [column for column in others if not column.missing]
    by_target: dict[str, Relation] = {}
    for targets in ([complete] if complete else []) + [[c] for c in others if c.missing]:
        rows = plan.complete([source, *targets])
        measured = [Relation.unknown((source.name,), one, len(rows)) for one in targets]
        if plan.is_testable(rows):
            measured = _measured_pairs(source, targets, rows, measured, plan)
        by_target |= {one.target: one for one in measured}
    return [by_target[column.name] for column in others]


def _measured_pairs(
    source: Column,
    targets: Sequence[Column],
    rows: np.ndarray,
    empty: Sequence[Relation],
    plan: Plan,
) -> list[Relation]:
    x, _ = standard_inputs([source], rows)
    y, unit, places = _targets(targets, rows)
    groups, folds = membership(places, y.shape[1]), plan.folds(rows)
    few = plan.some(len(rows), PAIR_TEST_ROWS)
    ranked_x = normal_scores(x[few]) if source.kind == "number" else x[few]
    # Numbers are ranked; levels of categories keep their common unit.
    numbers = torch.tensor([c.kind == "number" for c in targets], dtype=torch.float64)
    is_number = (groups @ numbers) > 0
    ranked_y = torch.where(is_number, normal_scores(y[few]), y[few])
    tested, held_out = [], []
    for observer in draw_observers(plan.settings, tuple(x.shape), x):
        held_out.append(predict_groups(observer, rows_of(observer, x, y), groups, folds))
    for observer in draw_observers(plan.settings, tuple(ranked_x.shape), ranked_x):
        test = rows_of(observer, ranked_x, ranked_y)
        tested.append(plan.tested(observer, rows[few], test, groups))
    relations = []
    for group, (relation, place) in enumerate(zip(empty, places, strict=True)):
        of_any, p = _p_values(tested, group, tail=True)
        many = [one[group] for one in held_out]
        found = plan.measured(many, rows, y[:, place], unit[place])
        relations.append(replace(relation, p_value=p, dependence_p_value=of_any, **found))
    return relations


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


def standard_inputs(columns: Sequence[Column], rows: np.ndarray) -> tuple[Tensor, dict[str, slice]]:
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
