"""A batch divided among two processes scores, and is differentiated, as the undivided one."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

import learnable_novelty as ln
from novelty_lab.ascent import Ascent, AscentConfig

WORKER = Path(__file__).with_name("ranks_worker.py")
spec = importlib.util.spec_from_file_location("ranks_worker", WORKER)
worker = importlib.util.module_from_spec(spec)
spec.loader.exec_module(worker)


@pytest.fixture(scope="module")
def ranks(tmp_path_factory):
    """Run two processes of a gloo group, and return what each found."""
    folder = tmp_path_factory.mktemp("ranks")
    started = [
        subprocess.Popen(
            [sys.executable, str(WORKER), str(rank), "2", str(folder / "store"), str(folder / "r")],
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]
    for process in started:
        _, errors = process.communicate(timeout=200)
        assert process.returncode == 0, errors
    found = []
    for rank in range(2):
        with np.load(folder / f"r-{rank}.npz") as held:
            found.append(dict(held))
    return found


@pytest.mark.parametrize("name", worker.PENALTIES)
def test_score_and_gradients_are_those_of_the_undivided_batch(ranks, name):
    x, y = (values.requires_grad_() for values in worker.data())
    observer = worker.observer(worker.PENALTIES[name])
    bits = observer(x, y)
    bits.backward()
    readout = observer.readout(x.detach(), y.detach())
    for rank, found in enumerate(ranks):
        own = slice(worker.CUTS[rank], worker.CUTS[rank + 1])
        assert found[f"{name} bits"] == pytest.approx(bits.item(), abs=1e-8)
        np.testing.assert_allclose(found[f"{name} x"], x.grad[own], atol=1e-8)
        np.testing.assert_allclose(found[f"{name} y"], y.grad[own], atol=1e-8)
        np.testing.assert_allclose(found[f"{name} weights"], readout.weights, atol=1e-8)
        assert found[f"{name} share"] == pytest.approx(readout.explained_variance, abs=1e-8)
    assert ranks[0][f"{name} bits"] == ranks[1][f"{name} bits"]


def test_ddp_averages_so_the_loss_is_multiplied_by_the_number_of_ranks(ranks):
    x, module = worker.data()[0], worker.encoder()
    (-worker.observer(0.3)(x, worker.code(module, x))).backward()
    for found in ranks:
        np.testing.assert_allclose(found["ddp weight"], module.weight.grad, atol=1e-8)
        np.testing.assert_allclose(found["ddp bias"], module.bias.grad, atol=1e-8)


def test_ranks_climb_together_as_one_process_with_their_batches(ranks):
    from learnable_novelty.seeds import split

    assert ranks[0]["scores"].tolist() == ranks[1]["scores"].tolist()
    assert ranks[0]["climbed"].tolist() == ranks[1]["climbed"].tolist()
    module = worker.encoder()
    step = iter(range(5))

    def make_batch(generator):
        del generator
        number = next(step)
        seeds = [split(0, "ascent", number, rank) for rank in range(2)]
        parts = [
            torch.randn(16, 3, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
            for seed in seeds
        ]
        x = torch.cat(parts)
        return x, worker.code(module, x)

    config = AscentConfig(steps=5, learning_rate=1e-2, checkpoint_every=2)
    alone = Ascent(module, worker.observer(0.3), make_batch, config).run()
    np.testing.assert_allclose(ranks[0]["scores"], alone.scores, atol=1e-8)
    np.testing.assert_allclose(ranks[0]["climbed"], module.weight.detach(), atol=1e-8)


def test_solvers_on_rows_are_refused_with_a_group():
    reservoir = ln.reservoirs.MLP(3, 8, 2)
    with pytest.raises(ValueError, match="solver must be auto or gram, got 'dual'"):
        ln.Observer(reservoir, ridge_penalty=0.1, solver="dual", process_group=object())
    observer = ln.Observer(reservoir, ridge_penalty=0.1, process_group=object())
    with pytest.raises(ValueError, match="expected no process_group"):
        ln.score(np.ones((9, 3)), np.ones(9), observer=observer)
