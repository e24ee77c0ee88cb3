"""The neural automaton: its rule, its batches, and the gradient through both."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch
from torch import nn

from learnable_novelty.observer import reservoirs
from learnable_novelty.observer.observer import Observer
from novelty_lab.systems.neural import NeuralCA

both_updates = pytest.mark.parametrize("update", ["residual", "direct"])
both_modes = pytest.mark.parametrize("training", [True, False], ids=["train", "eval"])


def chance(seed=0):
    return torch.Generator().manual_seed(seed)


def automaton(update="residual", *, seed=0, **sizes):
    """A small rule in float64, every weight moved off its initial value."""
    made = NeuralCA(update, **{"hidden": 6, **sizes}, seed=seed).double()
    generator = chance(seed + 100)
    with torch.no_grad():
        for value in made.state_dict().values():
            value.add_(0.3 * torch.rand(value.shape, generator=generator, dtype=value.dtype))
    return made


def noisy(rule, samples=5, width=9, seed=1):
    states = rule.random_states(samples, width, generator=chance(seed))
    return states + 0.2 * torch.randn(states.shape, generator=chance(seed + 1), dtype=states.dtype)


class Reference(nn.Module):
    """Table 4 from PyTorch's own layers."""

    def __init__(self, rule):
        super().__init__()
        hidden, taps = rule.hidden, 2 * rule.radius + 1
        self.residual = rule.update == "residual"
        blocks = []
        for layer in (rule.lift, *rule.layers):
            size = taps if not blocks else 1
            reads = layer.weight.shape[1] // size
            around = {"padding": rule.radius if not blocks else 0, "padding_mode": "circular"}
            conv = nn.Conv1d(reads, hidden, size, bias=False, **around).double()
            norm = nn.BatchNorm1d(hidden).double()
            with torch.no_grad():
                conv.weight.copy_(layer.weight.view(hidden, size, reads).mT)
                norm.weight.copy_(layer.scale)
                norm.bias.copy_(layer.shift)
            norm.running_mean.copy_(layer.running_mean)
            norm.running_var.copy_(layer.running_variance)
            blocks += [conv, norm, nn.GELU()]
        project = nn.Conv1d(hidden, rule.channels, 1).double()
        with torch.no_grad():
            project.weight.copy_(rule.project.weight[..., None])
            project.bias.copy_(rule.project.bias)
        self.map = nn.Sequential(*blocks, project)
        self.train(rule.training)

    def forward(self, x):
        change = self.map(x)
        value = x + change if self.residual else change
        return value / value.square().sum(1, keepdim=True).sqrt()


# The rule


@both_updates
@both_modes
@pytest.mark.parametrize(
    "sizes",
    [{}, {"radius": 0}, {"radius": 3, "channels": 3}, {"hidden_layers": 0}, {"hidden_layers": 2}],
    ids=["paper", "radius 0", "radius 3", "no hidden layer", "two hidden layers"],
)
def test_step_equals_convolution_batch_normalization_and_gelu(update, training, sizes):
    rule = automaton(update, **sizes).train(training)
    reference = Reference(rule)
    x = noisy(rule).requires_grad_()
    twin = x.detach().clone().requires_grad_()
    found, expected = rule(x), reference(twin)
    assert torch.allclose(found, expected, rtol=0, atol=1e-12)
    weight = torch.randn(found.shape, generator=chance(7), dtype=found.dtype)
    (found * weight).sum().backward()
    (expected * weight).sum().backward()
    assert torch.allclose(x.grad, twin.grad, rtol=0, atol=1e-11)
    lift, conv = rule.lift.weight.grad, reference.map[0].weight.grad
    assert torch.allclose(lift.view_as(conv.mT).mT, conv, rtol=0, atol=1e-11)
    norms = [m for m in reference.map if isinstance(m, nn.BatchNorm1d)]
    for layer, norm in zip((rule.lift, *rule.layers), norms, strict=True):
        assert torch.allclose(layer.scale.grad, norm.weight.grad, rtol=0, atol=1e-11)
        assert torch.allclose(layer.running_mean, norm.running_mean, rtol=0, atol=1e-12)
        assert torch.allclose(layer.running_variance, norm.running_var, rtol=0, atol=1e-12)


@both_updates
@pytest.mark.parametrize(("width", "radius"), [(1, 2), (2, 2), (3, 2), (4, 3), (64, 2)])
def test_a_site_reads_its_neighbours_around_the_ring_whatever_its_width(update, width, radius):
    rule = automaton(update, radius=radius)
    x = noisy(rule, width=width)
    rows = np.array(
        [
            [
                x[n, c, (site + offset) % width]
                for offset in range(-radius, radius + 1)
                for c in (0, 1)
            ]
            for n, site in itertools.product(range(len(x)), range(width))
        ]
    )
    found = rule.neighbourhoods(x.mT).flatten(0, 1)
    np.testing.assert_array_equal(found.numpy(), rows)
    assert torch.allclose(rule(x).norm(dim=1), torch.ones(len(x), width, dtype=x.dtype))


# Unit length


def test_a_site_whose_change_is_zero_gets_the_first_axis_and_no_gradient():
    rule = automaton("direct")
    with torch.no_grad():
        rule.project.weight.zero_()
        rule.project.bias.zero_()
    found = rule(noisy(rule))
    assert torch.equal(found[:, 0], torch.ones(5, 9))
    assert torch.equal(found[:, 1], torch.zeros(5, 9))
    found.sum().backward()
    assert all(torch.equal(p.grad, torch.zeros_like(p)) for p in rule.parameters())


# Rollouts and batches


def test_rollouts_are_repeated_steps():
    rule = automaton().eval()
    x = noisy(rule)
    with torch.no_grad():
        orbit = list(itertools.accumulate(range(3), lambda state, _: rule(state), initial=x))[1:]
        assert torch.equal(rule.run(x, 3), torch.stack(orbit))
        assert torch.equal(rule.burn_in(x, 3), orbit[-1])
        assert torch.equal(rule.window(x, 3), torch.cat(orbit, 1))
    assert torch.equal(rule.burn_in(x, 0), x)


def batch(rule, seed=5, **how):
    settings = {"burn_in": 3, "noise": 0.2, "window": 2, **how}
    return rule.sample(6, 9, generator=chance(seed), **settings)


def test_noise_is_gaussian_of_the_given_deviation_and_enters_the_inputs():
    rule = automaton().eval()
    quiet, _ = batch(rule, noise=0.0)
    small, large = (batch(rule, noise=noise)[0] for noise in (0.2, 0.4))
    drawn = (small - quiet) / 0.2
    assert torch.allclose(quiet.norm(dim=1), torch.ones(6, 9, dtype=quiet.dtype))
    assert torch.allclose((large - quiet) / 0.4, drawn)
    many = rule.sample(400, 9, burn_in=1, noise=1.0, window=1, generator=chance())[0]
    still = rule.sample(400, 9, burn_in=1, noise=0.0, window=1, generator=chance())[0]
    noise = (many - still).flatten()
    assert float(noise.mean()) == pytest.approx(0, abs=4 / len(noise) ** 0.5)
    assert float(noise.var()) == pytest.approx(1, abs=4 * (2 / len(noise)) ** 0.5)


def test_targets_are_the_window_that_follows_the_noisy_inputs():
    rule = automaton().eval()
    inputs, targets = batch(rule)
    assert inputs.shape == (6, 2, 9)
    assert targets.shape == (6, 4, 9)
    assert torch.equal(targets, rule.window(inputs, 2))
    assert not inputs.requires_grad
    assert targets.requires_grad


def test_burn_in_takes_running_moments_where_it_is_told_to():
    fixed, trained, batched = automaton().eval(), automaton(), automaton()
    expected, _ = batch(fixed, window=1)
    found, _ = batch(trained, window=1, burn_in_statistics="running")
    other, _ = batch(batched, window=1)
    assert torch.equal(found, expected)
    assert not torch.allclose(other, expected, atol=1e-3)
    assert trained.training
    assert batched.training
    once = automaton()
    once.window(found, 1)
    for name, value in once.state_dict().items():
        assert torch.equal(trained.state_dict()[name], value), "the burn-in tracked moments"
    assert not torch.equal(batched.lift.running_mean, once.lift.running_mean)
    same, _ = batch(fixed, window=1, burn_in_statistics="running")
    assert torch.equal(same, expected), "a fixed rule has running moments alone"
    assert not fixed.training


# One seed, one automaton


# The whole chain


@both_updates
@pytest.mark.parametrize("renormalize", [False, True])
def test_gradient_of_the_score_equals_finite_differences(update, renormalize):
    rule = automaton(update, hidden=4)
    observer = Observer(reservoirs.Conv1d(2, 5, 2), ridge_penalty=0.3)
    parameters = list(rule.parameters())

    def score():
        # Without a burn-in: the gradient does not go through it, a difference would.
        return observer(*batch(rule, burn_in=0, renormalize=renormalize))

    gradients = torch.autograd.grad(score(), parameters)
    for seed in range(3):
        step = [torch.randn(p.shape, generator=chance(seed), dtype=p.dtype) for p in parameters]
        slope = float(sum((g * s).sum() for g, s in zip(gradients, step, strict=True)))
        ends = []
        for size in (1e-5, -1e-5):
            with torch.no_grad():
                for p, s in zip(parameters, step, strict=True):
                    p.add_(s, alpha=size)
                ends.append(float(score()))
                for p, s in zip(parameters, step, strict=True):
                    p.sub_(s, alpha=size)
        assert slope == pytest.approx((ends[0] - ends[1]) / 2e-5, rel=1e-6, abs=1e-8)


def test_gradient_stops_at_the_burned_in_state():
    rule = automaton()
    observer = Observer(reservoirs.Conv1d(2, 5, 2), ridge_penalty=0.3)
    parameters = list(rule.parameters())
    inputs, targets = batch(rule)
    found = torch.autograd.grad(observer(inputs, targets), parameters)
    fixed = torch.autograd.grad(observer(inputs, rule.window(inputs, 2)), parameters)
    assert all(torch.equal(a, b) for a, b in zip(found, fixed, strict=True))
