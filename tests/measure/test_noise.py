"""Noise has nothing: neither a p-value nor a direction, whatever its size depends on."""
# pyright: reportArgumentType=false, reportOperatorIssue=false, reportOptionalOperand=false

import numpy as np
import pytest

import learnable_novelty as ln

NUM_SETS = 20


def volatile(g, n):
    """Ten white series with one stochastic volatility."""
    log_size = np.zeros(n)
    for t in range(1, n):
        log_size[t] = 0.95 * log_size[t - 1] + 0.3 * g.standard_normal()
    return np.exp(log_size / 2)[:, None] * g.standard_normal((n, 10))


def noise_of(size, targets=1):
    def make(g, n):
        x = g.standard_normal((n, 2))
        return x, size(x[:, :1]) * g.standard_normal((n, targets))

    return make


def gamma(g, n):
    x = g.standard_normal((n, 2))
    return x, np.exp(x[:, :1]) * (g.gamma(1.0, size=(n, 1)) - 1)


def counts(g, n):
    x = g.standard_normal((n, 2))
    return x, g.poisson(np.exp(x[:, :1])) - np.exp(x[:, :1])


KINDS = {
    "ten targets |x| e": noise_of(np.abs, 10),
    "exp(x) e": noise_of(np.exp),
    "gamma, multiplied": gamma,
    "counts of varying size": counts,
    "volatility of ten series": lambda g, n: (volatile(g, n), None),
    "Cauchy": lambda g, n: (g.standard_cauchy((n, 2)), g.standard_cauchy((n, 1))),
}


@pytest.mark.parametrize("kind", KINDS)
def test_noise_has_no_direction_whatever_its_size_depends_on(kind):
    small = kept = 0
    for seed in range(NUM_SETS):
        x, y = KINDS[kind](np.random.default_rng(seed), 120)
        cut = {} if y is not None else {"window": 1}
        found = ln.score(x, y, draws=1, null=99, seed=seed, **cut)
        small += found.p_value <= 0.05
        kept += found.directions > 0
        assert (found.denoised_bits > 0) == (found.directions > 0)
    # At levels of 0.07 and 0.01 more than these happen in 1 of 100 and in 1 of 60 trials.
    assert small <= 5
    assert kept <= 1


def test_a_dependence_without_a_mean_names_the_next_step():
    g = np.random.default_rng(0)
    x = g.standard_normal((300, 1))
    found = ln.score(x, np.exp(1.5 * x) * g.standard_normal((300, 10)), draws=2)
    assert found.dependence_p_value <= 0.05 < found.p_value
    assert "no mean that can be learned" in found.verdict
    assert "ln.dependence" in found.verdict
    assert "of dependence" in str(found)
