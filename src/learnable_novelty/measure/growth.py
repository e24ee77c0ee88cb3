"""An observer that grows on one part of the data and is judged on the other.

Given the part that it grew on, the observer is fixed: permutations of the other part test it as
they test any observer, and nothing has to be grown again for them. Where nothing has grown, all of
the data are scored by the frozen observer, to the last digit. Its size is then at most the nominal
one times 1 + P(growth on noise).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import torch
from torch import Tensor

from learnable_novelty.data.memory import MemoryRows
from learnable_novelty.data.source import Source
from learnable_novelty.errors import UserError
from learnable_novelty.measure.cautions import Labels, equal_rows
from learnable_novelty.measure.defaults import draw_observers
from learnable_novelty.measure.importance import Importance, shares
from learnable_novelty.measure.null import Null, choose_kind
from learnable_novelty.measure.prepare import PreparedRows, prepare_rows
from learnable_novelty.measure.task import Settings, Task
from learnable_novelty.observer.growing.growth import Growing, Growth, Step
from learnable_novelty.seeds import split, torch_generator

MOST_SAMPLES = 65_536
"""Samples that an observer grows on at most."""
FEWEST_SAMPLES = 80
MOST_FEATURES = 512


@dataclass(frozen=True)
class Grown:
    """What is scored, by which observer, and how it came about."""

    source: Source
    settings: Settings
    profile: tuple[Step, ...]
    focus: Importance | None
    """The diagonal of M, by the names of the inputs; None where nothing is focused."""
    decision: str


def grow_on_one_part(
    source: Source, settings: Settings, growing: Growing | Literal["growing"]
) -> Grown:
    """Grow on up to half of the samples; return the others, and the observer that judges them."""
    task = Task.of(source.layout(), settings)
    part, others, total = _divided(source, task, settings.seed)
    kind = choose_kind("auto", task.kind, in_memory=True)
    names = source.input_places
    data = prepare_rows(part, task, Null(0, kind), settings, names)
    if growing == "growing":
        growing = default_growing(settings, (task.num_samples(total), *data.inputs.shape[1:]))
    growth = growing.grow(
        data.inputs,
        data.targets,
        ordered=task.windows is not None,
        seed=split(settings.seed, "grow"),
    )
    if not growth.has_grown:
        decision = f"not grown: no step on {part.count} samples shortened the description"
        return Grown(source, settings, growth.steps, None, decision)
    judged = replace(settings, observer=growth.observer, ridge_penalty=None, resolution=None)
    decision = f"grown on {part.count} of {total} samples; the others are judged"
    return Grown(others, judged, growth.steps, _focus(growth, data), decision)


def default_growing(settings: Settings, shape: tuple[int, ...]) -> Growing:
    """Start from the first draw of the observer that these inputs get."""
    frozen = draw_observers(replace(settings, draws=1), shape)[0]
    return Growing(
        frozen.reservoir,
        ridge_penalty=frozen.ridge_penalty,
        resolution=frozen.resolution,
        most_features=max(MOST_FEATURES, frozen.reservoir.feature_dim),
    )


def _focus(growth: Growth, data: PreparedRows) -> Importance | None:
    """Name the diagonal of M; of lattices, whose windows have no names, None."""
    if growth.importance is None or data.inputs.ndim != 2:
        return None
    each = growth.importance.cpu().numpy()
    return shares(torch.tensor([each[p].sum() for p in data.places.values()]).numpy(), data.places)


def _divided(source: Source, task: Task, seed: int) -> tuple[MemoryRows, Source, int]:
    """Return samples to grow on, the others, and how many there are of both."""
    rows = source.rows
    if not isinstance(source, Source) or rows is None:
        raise UserError(
            "expected data in memory, to grow on one part and judge the other, got data that is "
            "read by chunks: grow on a sample of it"
        )
    count = rows.count
    _check_count(count)
    size = min(count // 2, MOST_SAMPLES)
    y, order = rows.targets, torch.arange(count)
    if task.windows is None:
        order = torch.randperm(count, generator=torch_generator(seed, "grow", "part"))
        if y is not None and rows.inputs.ndim == 2:
            size, order = _whole_copies(equal_rows(rows.inputs, y)[0], order, size)
    both = [part.sort().values.to(rows.inputs.device) for part in order.tensor_split([size])]
    parts = [MemoryRows(rows.inputs[p], None if y is None else y[p]) for p in both]
    return parts[0], replace(source, partitions=[parts[1]]), count


def _whole_copies(groups: Labels | None, order: Tensor, size: int) -> tuple[int, Tensor]:
    """Return the order with copies of a row side by side, and a size that does not part them."""
    if groups is None:
        return size, order
    numbers = torch.from_numpy(groups)[order]
    first = torch.full((int(numbers.max()) + 1,), len(order))
    first = first.scatter_reduce(0, numbers, torch.arange(len(order)), "amin")
    places = first[numbers].argsort(stable=True)
    ends = 1 + numbers[places].diff().nonzero()[:, 0]
    return int(ends[(ends - size).abs().argmin()]), order[places]


def _check_count(count: int) -> None:
    if count < FEWEST_SAMPLES:
        raise UserError(
            f"expected at least {FEWEST_SAMPLES} samples to grow on one half and judge the other, "
            f"got {count}"
        )
