"""What the readouts of a score explain of samples that come later."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from learnable_novelty.data.memory import as_tensor
from learnable_novelty.data.open import in_memory
from learnable_novelty.errors import UserError
from learnable_novelty.measure.defaults import draw_observers
from learnable_novelty.measure.draw import rows_of
from learnable_novelty.measure.held_out import trained_on
from learnable_novelty.measure.null import Null, choose_kind
from learnable_novelty.measure.prepare import cut_windows, prepare_rows, scale_columns
from learnable_novelty.measure.task import Settings, Task, choose_windows
from learnable_novelty.seeds import check_seed


@torch.no_grad()
def share_of_new_samples(
    inputs: Any,
    targets: Any,
    new_inputs: Any,
    new_targets: Any = None,
    *,
    window: int | None = None,
    history: int = 1,
    leads: Sequence[int] | None = None,
    draws: int = 8,
    seed: int = 0,
) -> float:
    """Return what the readouts behind ``held_out_variance`` explain of new samples.

    With the same data, draws and seed these are the readouts of ``score``. With many new samples
    from the same source it is the number that ``held_out_interval`` is an interval for, before
    that is cut at 0.

    >>> x = np.linspace(-3, 3, 80)
    >>> share_of_new_samples(x, np.sin(x), x[::2], np.sin(x[::2]), draws=1) > 0.9
    True
    """
    settings = Settings(choose_windows(window, history, leads), draws, Null(0), check_seed(seed))
    source = in_memory(inputs, targets)
    task = Task.of(source.layout(), settings)
    kind = choose_kind("auto", task.kind, in_memory=True)
    assert source.rows is not None
    data = prepare_rows(source.rows, task, Null(0, kind), settings)
    if data.folds is None:
        raise UserError(f"expected at least four samples to hold some out, got {data.num_samples}")
    x = as_tensor(new_inputs, "inputs")
    y = None if new_targets is None else as_tensor(new_targets, "targets")
    later = cut_windows(data.task, *scale_columns(data.task, x, y))
    sums = np.zeros(2)
    for observer in draw_observers(settings, tuple(data.inputs.shape)):
        rows = rows_of(observer, data.inputs, data.targets)
        wholes = data.folds.wholes(observer, *data.folds.in_order(rows))
        new = rows_of(observer, *later)
        for readout in trained_on(wholes, observer.fits(wholes)):
            left = readout.left(new.features, new.targets)
            sums += [float(part.double().square().sum()) for part in left]
    return 1 - float(sums[0] / sums[1]) if sums[1] > 0 else 0.0
