"""A batch divided among two processes scores, and is differentiated, as the undivided one."""

import numpy as np
import pytest
import torch
import torch.distributed as dist
from torch import nn
from torch.multiprocessing.spawn import spawn

import learnable_novelty as ln

CUTS = (0, 23, 60)
PENALTIES = {"fixed": 0.1, "evidence": "evidence", "per sample": ln.PerSample(0.01)}


def data():
    """Make the undivided batch; a column of the targets is constant."""
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(60, 3, generator=generator, dtype=torch.float64)
    noise = 0.1 * torch.randn(60, 2, generator=generator, dtype=torch.float64)
    return x, torch.cat([x[:, :2].sin() + noise + 5, torch.full((60, 1), 2.0)], 1).double()


def observer(penalty, group=None):
    """Make an observer of more features than a rank has rows."""
    return ln.Observer(ln.reservoirs.MLP(3, 32, 3), ridge_penalty=penalty, process_group=group)


def make_encoder():
    torch.manual_seed(1)
    return nn.Linear(3, 2).double()


def code(module, x):
    return nn.functional.normalize(module(x), dim=1)


def measure(penalty, x, y, group=None):
    a, b = x.clone().requires_grad_(), y.clone().requires_grad_()
    bits = observer(penalty, group)(a, b)
    bits.backward()
    readout = observer(penalty, group).readout(x, y)
    return {"bits": bits, "x": a.grad, "y": b.grad, "weights": readout.weights,
            "share": readout.explained_variance}  # fmt: skip


def one_rank(rank, folder):
    torch.set_num_threads(1)
    store = f"file://{folder}/store"
    dist.init_process_group("gloo", init_method=store, rank=rank, world_size=2)
    x, y = (values[CUTS[rank] : CUTS[rank + 1]] for values in data())
    found = {
        f"{name} {key}": value
        for name, penalty in PENALTIES.items()
        for key, value in measure(penalty, x, y, dist.group.WORLD).items()
    }
    module = make_encoder()
    wrapped = nn.parallel.DistributedDataParallel(module)
    # It averages over ranks what should be summed: the loss is multiplied by their number.
    (-2 * observer(0.3, dist.group.WORLD)(x, code(wrapped, x))).backward()
    found["ddp weight"] = module.weight.grad
    np.savez(f"{folder}/{rank}.npz", **{k: np.asarray(torch.as_tensor(v).detach())
                                        for k, v in found.items()})  # fmt: skip
    dist.destroy_process_group()


@pytest.fixture(scope="module")
def ranks(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ranks")
    spawn(one_rank, (str(folder),), nprocs=2)
    return [dict(np.load(folder / f"{rank}.npz")) for rank in range(2)]


@pytest.mark.parametrize("name", PENALTIES)
def test_score_and_gradients_are_those_of_the_undivided_batch(ranks, name):
    whole = measure(PENALTIES[name], *data())
    for rank, found in enumerate(ranks):
        own = slice(CUTS[rank], CUTS[rank + 1])
        for key, value in whole.items():
            expected = torch.as_tensor(value).detach()
            expected = expected[own] if key in ("x", "y") else expected
            np.testing.assert_allclose(found[f"{name} {key}"], expected, atol=1e-8)
