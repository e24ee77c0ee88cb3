"""The ascent: its steps, its stops, and how it is interrupted, saved and resumed."""

from __future__ import annotations

import dataclasses
import os
import signal
import subprocess
import sys

import numpy as np
import pytest
import torch
from torch import nn

from learnable_novelty.observer import reservoirs
from learnable_novelty.observer.observer import Observer
from learnable_novelty.seeds import split
from novelty_lab.ascent.ascent import Ascent, AscentConfig, AscentStopped

CONFIG = AscentConfig(steps=9, learning_rate=0.02, clip=0.05, checkpoint_every=4, check_every=3)


@pytest.fixture(autouse=True)
def default_handlers():
    """Workers that run tests side by side ignore Ctrl-C."""
    defaults = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
    held = {number: signal.signal(number, default) for number, default in defaults.items()}
    yield
    for number, handler in held.items():
        assert signal.getsignal(number) == defaults[number], "a handler was left behind"
        signal.signal(number, handler)


class Climb:
    """A small encoder under an observer, with a hook in front of every batch."""

    def __init__(self, directory=None, config=CONFIG, *, seed=3, before=None, objective=None):
        torch.manual_seed(0)
        self.module = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 2))
        self.calls, self.before = 0, before
        observer = Observer(reservoirs.MLP(3, 8, 2), ridge_penalty=0.3)
        self.ascent = Ascent(
            self.module,
            objective or observer,
            self.make_batch,
            config,
            seed=seed,
            directory=directory,
        )

    def make_batch(self, generator):
        if self.before is not None:
            self.before(self.calls)
        self.calls += 1
        x = torch.randn(16, 3, generator=generator)
        return x, self.module(x).tanh()

    def run(self, **how):
        return self.ascent.run(**how)


def signal_at(call, number=signal.SIGINT, times=1):
    def before(calls):
        if calls == call:
            for _ in range(times):
                os.kill(os.getpid(), number)

    return before


def bits_of(climb, found):
    state = {name: value.numpy().tobytes() for name, value in climb.module.state_dict().items()}
    return found.scores, state


def same_snapshots(first, second):
    assert first.keys() == second.keys()
    return all(torch.equal(first[s][k], second[s][k]) for s in first for k in first[s])


def contents(directory):
    return {p.relative_to(directory): p.read_bytes() for p in directory.rglob("*") if p.is_file()}


@pytest.fixture(scope="module")
def whole():
    climb = Climb()
    found = climb.run()
    return bits_of(climb, found), found.snapshots


# Resuming


@pytest.mark.parametrize("step", [0, 3, 5, 8])
def test_interrupted_and_resumed_equals_uninterrupted_bit_for_bit(tmp_path, whole, step):
    with pytest.raises(KeyboardInterrupt, match=f"after step {step + 1}; it is saved in"):
        Climb(tmp_path, before=signal_at(step)).run()
    climb = Climb(tmp_path)
    found = climb.run(resume=True)
    assert climb.calls == 8 - step
    assert bits_of(climb, found) == whole[0]
    assert same_snapshots(found.snapshots, whole[1])


# Interrupts


TERMINATED = """
import os, signal, sys, torch
from pathlib import Path
from novelty_lab.ascent.ascent import (Ascent, AscentConfig)
torch.set_num_threads(1)
module = torch.nn.Linear(2, 1)
def make_batch(generator):
    make_batch.calls += 1
    if make_batch.calls == 3:
        os.kill(os.getpid(), signal.SIGTERM)
    return torch.ones(1, 2), module(torch.ones(1, 2))
make_batch.calls = 0
objective = lambda inputs, targets: -targets.square().sum()
Ascent(module, objective, make_batch, AscentConfig(steps=50), directory=Path(sys.argv[1])).run()
"""


def test_sigterm_saves_and_ends_the_process_as_sigterm_does(tmp_path):
    ended = subprocess.run(
        [sys.executable, "-c", TERMINATED, str(tmp_path)], capture_output=True, check=False
    )
    assert ended.returncode == 128 + signal.SIGTERM, ended.stderr.decode()
    held = torch.load(tmp_path / "step-000003.pt", weights_only=True)
    assert held["step"] == len(held["scores"]) == 3


# What a step does


def test_one_step_is_adamw_by_hand_on_the_clipped_scaled_gradient():
    config = AscentConfig(
        steps=2, learning_rate=0.1, weight_decay=0.3, clip=0.7, score_scale=5.0, annealing="none"
    )
    climb = Climb(config=config, objective=lambda x, y: -(y - 1).square().sum())
    start = {n: p.detach().double().numpy().copy() for n, p in climb.module.named_parameters()}
    gradients = []

    def keep(calls):
        if calls == 1:  # after the first step, before the second
            weights.update({n: p.detach().numpy().copy() for n, p in named})

    weights, named = {}, list(climb.module.named_parameters())
    climb.before = keep
    twin = Climb(objective=lambda x, y: -(y - 1).square().sum())
    generator = torch.Generator().manual_seed(split(3, "ascent", 0))
    score = twin.ascent.objective(*twin.make_batch(generator))
    gradients = torch.autograd.grad(5.0 * score, list(twin.module.parameters()))
    found = climb.run()
    g = {n: v.double().numpy() for (n, _), v in zip(named, gradients, strict=True)}
    norm = np.sqrt(sum((v**2).sum() for v in g.values()))
    assert found.scores[0] == pytest.approx(float(score.detach()), rel=1e-6)
    assert norm > 0.7, "the clipping is at work"
    for name, value in start.items():
        clipped = g[name] * 0.7 / norm
        # First step of Adam: both moments are corrected to the gradient and its square. A
        # gradient that cancels to nothing has no direction to compare.
        move = 0.1 * clipped / (np.abs(clipped) + 1e-8)
        expected = value * (1 - 0.1 * 0.3) + move
        sure = np.abs(clipped) > 1e-5
        np.testing.assert_allclose(weights[name][sure], expected[sure], rtol=1e-4, atol=1e-5)


CHANGES = [
    {"steps": 7},
    {"learning_rate": 0.03},
    {"weight_decay": 0.2},
    {"annealing": "none"},
    {"score_scale": 0.01},
    {"clip": None},
    {"clip": 0.01},
    {"clip_by": "value"},
]


def outcome(config):
    # AdamW hardly feels the size of a gradient: only its history and its epsilon show it, so
    # weights are compared bit for bit.
    climb = Climb(config=config)
    found = climb.run()
    return found.scores, [v.numpy().tobytes() for v in climb.module.state_dict().values()]


@pytest.mark.parametrize("change", CHANGES, ids=lambda c: "-".join(map(str, *c.items())))
def test_every_field_of_the_step_changes_what_is_found(change):
    base = dataclasses.replace(CONFIG, clip=0.02)
    assert outcome(base) != outcome(dataclasses.replace(base, **change))


# Stopping


class Poison(torch.autograd.Function):
    @staticmethod
    def forward(ctx, value):
        return value.clone()

    @staticmethod
    def backward(ctx, gradient):
        return gradient * float("nan")


def at_call(number, usual, then):
    """An objective that turns at a call."""
    calls = iter(range(10**6))
    return lambda x, y: then(x, y) if next(calls) == number else usual(x, y)


def square(x, y):
    return -(y - 1).square().sum()


@pytest.mark.parametrize(
    ("then", "what"),
    [
        (lambda x, y: square(x, y) * float("nan"), "score"),
        (lambda x, y: square(x, y) * float("inf"), "score"),
        (lambda x, y: Poison.apply(square(x, y)), "gradient"),
    ],
    ids=["nan score", "infinite score", "nan gradient"],
)
def test_numbers_that_are_not_finite_stop_and_name_the_step(tmp_path, then, what):
    climb = Climb(tmp_path, objective=at_call(5, square, then))
    with pytest.raises(
        AscentStopped, match=f"the {what} is not a finite number at step 5; try a smaller"
    ):
        climb.run()
    for path in tmp_path.glob("step-*.pt"):
        module = torch.load(path, weights_only=True)["module"]
        assert all(bool(torch.isfinite(value).all()) for value in module.values())


def flat(x, y):
    return (y * 0).sum()


def test_a_score_that_stays_at_zero_stops_after_the_patience(tmp_path, monkeypatch):
    monkeypatch.setattr("novelty_lab.ascent.ascent.PATIENCE", 5)
    told = r"exactly 0 bits for 5 steps up to step 4.*try state noise"
    with pytest.raises(AscentStopped, match=told):
        Climb(objective=flat).run()
    interrupted = Climb(objective=at_call(4, flat, square))
    assert len(interrupted.run().scores) == 9, "zeros count in a row"
    with pytest.raises(KeyboardInterrupt):
        Climb(tmp_path, objective=flat, before=signal_at(2)).run()
    with pytest.raises(AscentStopped, match=told):
        Climb(tmp_path, objective=flat).run(resume=True)


# Checkpoints


def rewrite(path, **change):
    torch.save({**torch.load(path, weights_only=True), **change}, path)


def flip_a_weight(path):
    whole = bytearray(path.read_bytes())
    weight = torch.load(path, weights_only=True)["module"]["0.weight"].numpy().tobytes()
    whole[whole.index(weight)] ^= 1
    path.write_bytes(whole)


DAMAGES = {
    "empty": (lambda p: p.write_bytes(b""), "is damaged; remove it"),
    "truncated": (lambda p: p.write_bytes(p.read_bytes()[:-100]), "is damaged; remove it"),
    "garbage": (lambda p: p.write_bytes(bytes(range(256)) * 8), "is damaged; remove it"),
    "one bit": (flip_a_weight, "is damaged; remove it"),
    "not a checkpoint": (lambda p: torch.save([1, 2], p), "expected a checkpoint of format 1"),
    "a part missing": (lambda p: torch.save({"format": 1}, p), "expected a checkpoint of format"),
}


@pytest.mark.parametrize(("damage", "message"), DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_checkpoint_is_one_clear_error_and_nothing_is_touched(tmp_path, damage, message):
    Climb(tmp_path).run()
    damage(tmp_path / "step-000009.pt")
    before = contents(tmp_path)
    climb = Climb(tmp_path)
    with pytest.raises(ValueError, match=message) as caught:
        climb.run(resume=True)
    assert "step-000009.pt" in str(caught.value)
    assert caught.value.__cause__ is None
    assert climb.calls == 0
    assert contents(tmp_path) == before


@pytest.mark.parametrize(
    "change", [c for c in CHANGES if c.get("clip") != 0.01], ids=lambda c: next(iter(c))
)
def test_a_checkpoint_of_other_settings_is_refused(tmp_path, change):
    Climb(tmp_path).run()
    before = contents(tmp_path)
    with pytest.raises(ValueError, match="is of a run with other settings"):
        Climb(tmp_path, dataclasses.replace(CONFIG, **change)).run(resume=True)
    with pytest.raises(ValueError, match="is of a run with other settings"):
        Climb(tmp_path, seed=4).run(resume=True)
    assert contents(tmp_path) == before
