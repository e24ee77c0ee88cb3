"""One of two processes of a Lightning training: python monitor_rank.py FOLDER, with RANK set."""

import os
import sys
from pathlib import Path

import lightning.pytorch as lightning
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from learnable_novelty.integrations.lightning import EpiplexityMonitor


class Auto(lightning.LightningModule):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Linear(3, 2)

    def validation_step(self, batch: list[torch.Tensor], index: int) -> None:
        self.encoder(batch[0])


def main(folder: Path) -> None:
    torch.set_num_threads(1)
    held = torch.load(folder / "data.pt", weights_only=True)
    module = Auto()
    module.load_state_dict(held["weights"])
    trainer = lightning.Trainer(
        accelerator="cpu",
        devices=2,
        strategy="ddp",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        callbacks=[EpiplexityMonitor("encoder", max_samples=70)],
    )
    # Lightning gives the ranks every second sample each.
    trainer.validate(module, DataLoader(TensorDataset(held["x"]), batch_size=32), verbose=False)
    logged = {name: float(value) for name, value in trainer.callback_metrics.items()}
    torch.save(logged, folder / f"rank{os.environ['RANK']}.pt")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
