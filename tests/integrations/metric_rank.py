"""One of two processes that share a metric: python metric_rank.py FOLDER RANK."""

import sys
from pathlib import Path

import torch

from learnable_novelty import Observer, reservoirs
from learnable_novelty.integrations.torchmetrics import Epiplexity


def main(folder: Path, rank: int) -> None:
    torch.set_num_threads(1)
    torch.distributed.init_process_group(
        "gloo", init_method=f"file://{folder / 'meet'}", rank=rank, world_size=2
    )
    held = torch.load(folder / "data.pt", weights_only=True)
    metric = Epiplexity(Observer(reservoirs.MLP(3, 16, 3), ridge_penalty=0.1), target_dim=4)
    shares = [slice(0, 130), slice(130, None)]  # unequal, in batches of unequal size
    x, y = held["x"][shares[rank]], held["y"][shares[rank]]
    for part in zip(x.split(30 + 20 * rank), y.split(30 + 20 * rank), strict=True):
        metric.update(*part)
    found = {"whole": float(metric.compute())}
    metric.reset()
    metric.update(held["x"][: 100 * (1 - rank)], held["y"][: 100 * (1 - rank)])
    found["lonely"] = float(metric.compute())
    found["own"] = metric.count
    torch.save(found, folder / f"rank{rank}.pt")
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
