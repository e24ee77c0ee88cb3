"""One rank of ``test_ranks``: ``python ranks_worker.py RANK SIZE STORE OUT``."""

import sys
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
from torch import nn

import learnable_novelty as ln
from novelty_lab.ascent import Ascent, AscentConfig

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
    reservoir = ln.reservoirs.MLP(3, 32, 3)
    return ln.Observer(reservoir, ridge_penalty=penalty, process_group=group)


def encoder():
    """Make the module that is trained."""
    torch.manual_seed(1)
    return nn.Linear(3, 2).double()


def code(module, x):
    """Encode to unit length."""
    return nn.functional.normalize(module(x), dim=1)


def ascent(module, group, directory=None):
    """Climb for a few steps."""
    shares = 1 if group is None else dist.get_world_size()

    def make_batch(generator):
        x = torch.randn(32 // shares, 3, generator=generator, dtype=torch.float64)
        return x, code(module, x)

    config = AscentConfig(steps=5, learning_rate=1e-2, checkpoint_every=2)
    return Ascent(
        module,
        observer(0.3, group),
        make_batch,
        config,
        directory=None if directory is None else Path(directory),
    ).run()


def main(rank, size, store, out):
    """Score this rank's part in every way, and write what came out."""
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=size)
    group = dist.group.WORLD
    x, y = (values[CUTS[rank] : CUTS[rank + 1]] for values in data())
    found = {}
    for name, penalty in PENALTIES.items():
        a, b = x.clone().requires_grad_(), y.clone().requires_grad_()
        bits = observer(penalty, group)(a, b)
        bits.backward()
        readout = observer(penalty, group).readout(x, y)
        found |= {f"{name} bits": bits.item(), f"{name} x": a.grad, f"{name} y": b.grad}
        found |= {f"{name} weights": readout.weights, f"{name} share": readout.explained_variance}
    # DDP averages over ranks what should be summed: the loss is multiplied by their number.
    module = encoder()
    wrapped = nn.parallel.DistributedDataParallel(module)
    (-size * observer(0.3, group)(x, code(wrapped, x))).backward()
    found["ddp weight"], found["ddp bias"] = module.weight.grad, module.bias.grad
    climbed = encoder()
    if rank:  # the ascent gives all ranks the weights of the first
        nn.init.zeros_(climbed.weight)
    run = ascent(climbed, group, f"{out}-run")
    found |= {"scores": run.scores, "climbed": climbed.weight.detach()}
    np.savez(f"{out}-{rank}.npz", **{k: np.asarray(v) for k, v in found.items()})
    dist.destroy_process_group()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4])
