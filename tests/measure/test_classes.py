import numpy as np
import pytest
import torch

import learnable_novelty as ln
from learnable_novelty.errors import UserError
from learnable_novelty.measure import class_accuracy
from learnable_novelty.measure.defaults import draw_observers
from learnable_novelty.measure.draw import rows_of
from learnable_novelty.measure.held_out import held_out_share
from learnable_novelty.measure.null import Null
from learnable_novelty.measure.prepare import prepare_rows
from learnable_novelty.measure.sources.open import in_memory
from learnable_novelty.measure.task import Settings, Task

RNG = np.random.default_rng(0)


def test_predictions_are_those_that_the_held_out_variance_is_of():
    x, y = RNG.standard_normal((70, 2)), RNG.standard_normal((70, 3))
    y += np.sin(2 * x[:, :1])
    settings = Settings(None, 1, Null(0), 0)
    source = in_memory(x, y)
    data = prepare_rows(source.rows, Task.of(source.layout(), settings), Null(0, "rows"), settings)
    (observer,) = draw_observers(settings, tuple(data.inputs.shape))
    rows = rows_of(observer, data.inputs, data.targets)
    told = data.folds.predictions(observer, rows)
    held = data.folds.errors(observer, rows)
    np.testing.assert_allclose((told - rows.targets).square().sum(1), held.errors, rtol=1e-8)
    share, _ = held_out_share([held], 70, 70)
    assert ln.score(x, y, draws=1, null=0).held_out_variance == pytest.approx(share)


def test_classes_that_can_be_told_and_those_that_cannot():
    x = RNG.standard_normal((300, 2))
    ring = np.digitize(np.hypot(*x.T), [0.8, 1.6])
    told = class_accuracy(x, np.eye(3)[ring], draws=2)
    assert told.held_out > 0.85 > told.base_rate == pytest.approx(np.bincount(ring).max() / 300)
    recall = np.array(told.recall)
    assert (recall * np.bincount(ring)).sum() / 300 == pytest.approx(told.held_out)
    noise = class_accuracy(x, np.eye(3)[RNG.permutation(ring)], draws=2)
    assert noise.held_out < noise.base_rate + 0.05


def test_what_is_no_class_is_refused():
    x = torch.zeros(8, 1)
    for classes in (torch.ones(8, 2), torch.full((8, 2), 0.5), torch.zeros(8, 2)):
        with pytest.raises(UserError, match="zeros and a one per row"):
            class_accuracy(x, classes)
    with pytest.raises(UserError, match="at least four samples"):
        class_accuracy(RNG.standard_normal((3, 1)), np.eye(2)[[0, 1, 1]])
