"""The callback logs what ``score`` says of the code, and leaves the training alone."""

import math

import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import learnable_novelty as ln
from learnable_novelty.objective import effective_rank

NAMES = ("bits", "floor_bits", "excess_bits", "effective_rank")


def parts(layer="encoder", **setting):
    import lightning.pytorch as lightning

    from learnable_novelty.integrations.lightning import EpiplexityMonitor

    class Auto(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            torch.manual_seed(0)
            self.encoder = nn.Sequential(nn.Flatten(), nn.Linear(8, 5), nn.Tanh())
            self.decoder = nn.Linear(5, 8)
            self.pair = nn.LSTM(8, 2)

        def forward(self, x):
            code = self.encoder(x)
            return self.decoder(code), code

        def training_step(self, batch, index):
            return (self(batch[0])[0] - batch[0].flatten(1)).square().mean()

        def validation_step(self, batch, index):
            self.pair(batch[0].flatten(1))
            self.log("loss", (self(batch[0])[0] - batch[0].flatten(1)).square().mean())

        def configure_optimizers(self):
            return torch.optim.Adam(self.parameters())

    torch.manual_seed(1)
    x = torch.randn(300, 2, 4)
    loader = DataLoader(TensorDataset(x), batch_size=64)
    monitor = EpiplexityMonitor(layer, **setting)
    trainer = lightning.Trainer(
        max_epochs=1,
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        callbacks=[monitor],
    )
    return x, Auto(), loader, trainer


def test_the_numbers_are_those_of_score_and_the_hook_is_gone():
    x, module, loader, trainer = parts(draws=2, seed=3)
    trainer.fit(module, loader, loader)
    with torch.no_grad():
        code = module.encoder(x)
    expected = ln.score(x.flatten(1), code, draws=2, null=0, seed=3)
    logged = {name: float(value) for name, value in trainer.callback_metrics.items()}
    assert logged["encoder/bits"] == pytest.approx(expected.bits, rel=1e-5)
    assert logged["encoder/floor_bits"] == pytest.approx(expected.floor_bits, rel=1e-4)
    assert logged["encoder/excess_bits"] == pytest.approx(expected.excess_bits, rel=1e-4)
    assert logged["encoder/effective_rank"] == pytest.approx(effective_rank(code), rel=1e-5)
    assert 1 < logged["encoder/effective_rank"] <= 5
    assert not module.encoder._forward_hooks


def test_an_observer_of_ones_own_and_other_inputs():
    observer = ln.Observer(ln.reservoirs.MLP(4, 12, 2), ridge_penalty=0.5)
    x, module, loader, trainer = parts(observer=observer, inputs_of=lambda batch: batch[0][:, 0])
    trainer.validate(module, loader, verbose=False)
    with torch.no_grad():
        code = module.encoder(x)
    expected = ln.score(x[:, 0], code, observer=observer, draws=1, null=0)
    assert float(trainer.callback_metrics["encoder/bits"]) == pytest.approx(expected.bits, rel=1e-5)


@pytest.mark.parametrize("trouble", ["a NaN in the code", "one sample"])
def test_what_cannot_be_scored_is_logged_as_nan_and_the_training_goes_on(trouble):
    x, module, loader, trainer = parts()
    held = x[:1] if trouble == "one sample" else torch.where(x > 2, torch.nan, x)
    trainer.fit(module, loader, DataLoader(TensorDataset(held), batch_size=64))
    assert trainer.global_step == len(loader)
    logged = {name: float(value) for name, value in trainer.callback_metrics.items()}
    assert set(logged) == {"loss", *(f"encoder/{name}" for name in NAMES)}
    assert all(math.isnan(logged[f"encoder/{name}"]) for name in NAMES)


@pytest.mark.parametrize(
    ("layer", "message"),
    [
        ("encodre", "expected a layer, one of encoder, encoder.0.*got 'encodre'"),
        ("pair", "expected pair to return a tensor, got tuple"),
    ],
)
def test_a_layer_that_cannot_be_watched_is_refused_and_leaves_no_hook(layer, message):
    _, module, loader, trainer = parts(layer)
    with pytest.raises((ValueError, TypeError), match=message):
        trainer.validate(module, loader, verbose=False)
    assert not module.pair._forward_hooks


def test_effective_rank_counts_directions():
    codes = torch.randn(400, 6, generator=torch.Generator().manual_seed(0))
    variances = torch.linalg.eigvalsh(torch.cov(codes.double().T))
    expected = float(variances.sum() ** 2 / variances.square().sum())
    assert effective_rank(codes) == pytest.approx(expected, rel=1e-12)
    assert effective_rank(codes[:4]) == pytest.approx(
        effective_rank(torch.cat([codes[:4], torch.zeros(4, 9)], 1)), rel=1e-12
    )
    assert effective_rank(torch.ones(10, 3)) == 0
    assert effective_rank(codes[:, :1]) == 1
