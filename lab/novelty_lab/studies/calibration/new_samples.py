"""What the readouts of a score explain of samples that come later."""

from __future__ import annotations

import numpy as np
import torch

from learnable_novelty.data.memory import as_tensor
from learnable_novelty.data.open import in_memory
from learnable_novelty.measure.defaults import draw_observers
from learnable_novelty.measure.draw import rows_of
from learnable_novelty.measure.held_out import trained_on
from learnable_novelty.measure.null import Null, choose_kind
from learnable_novelty.measure.prepare import cut_windows, prepare_rows, scale_columns
from learnable_novelty.measure.task import Settings, Task, choose_windows
from novelty_lab.studies.calibration.processes import Data


@torch.no_grad()
def share_of_new_samples(data: Data, new: Data, *, draws: int, seed: int) -> float:
    """Return what the readouts behind ``held_out_variance`` explain of new samples.

    With the same data, draws and seed these are the readouts of ``score``. With many new samples
    from the same source it is the number that ``held_out_interval`` is an interval for, before
    that is cut at 0.
    """
    windows = choose_windows(None, 1, data.get("leads"))
    settings = Settings(windows, draws, Null(0), seed, groups=data.get("groups"))
    source = in_memory(data["inputs"], data["targets"])
    task = Task.of(source.layout(), settings)
    null = Null(0, choose_kind("auto", task.kind, in_memory=True))
    assert source.rows is not None
    prepared = prepare_rows(source.rows, task, null, settings)
    assert prepared.folds is not None
    x, y = (as_tensor(new[name], name) for name in ("inputs", "targets"))
    later = cut_windows(prepared.task, *scale_columns(prepared.task, x, y))
    sums = np.zeros(2)
    for observer in draw_observers(settings, tuple(prepared.inputs.shape)):
        rows = rows_of(observer, prepared.inputs, prepared.targets)
        wholes = prepared.folds.wholes(observer, *prepared.folds.in_order(rows))
        new_rows = rows_of(observer, *later)
        for readout in trained_on(wholes, observer.fits(wholes)):
            left = readout.left(new_rows.features, new_rows.targets)
            sums += [float(part.double().square().sum()) for part in left]
    return 1 - float(sums[0] / sums[1]) if sums[1] > 0 else 0.0
