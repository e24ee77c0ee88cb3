"""The rule of rounding: numbers that break careless arithmetic are scored right, or refused.

Random problems stand beside an oracle in ``test_oracle``; here are those with a name.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from mpmath import mp

import learnable_novelty as ln
from learnable_novelty.errors import UserError
from learnable_novelty.observer import reservoirs
from learnable_novelty.observer.bits import checked_refits, quick_error, spectral_error
from learnable_novelty.observer.observer import Observer
from learnable_novelty.observer.spectral import Spectral
from learnable_novelty.observer.summary import Moments, Rows, merge

WAYS = ("moments", "chunks", "gram", "spectral")


def score_of(way, h, y, penalty=0.1, **setting):
    """The score of given features, by each of our ways."""
    solver = way if way in ("gram", "spectral") else "auto"
    ours = Observer(
        reservoirs.Identity(h.shape[1]), ridge_penalty=penalty, solver=solver, **setting
    )
    if way == "moments":
        return float(ours.bits(Moments.of(h, y)))
    if way == "chunks":
        return float(ours.bits(merge(map(Moments.of, h.split(3), y.split(3)))))
    return float(ours.bits(Rows(h, y)))


def exact(h, y, penalty=0.1, unit=1, digits=1500):
    """Eq. (rc-score) from the same numbers, in digits enough for 1e150 squared in a determinant."""
    n, m = h.shape
    with mp.workdps(digits):
        a, b = mp.matrix(h.double().tolist()), mp.matrix(y.double().tolist())
        for columns in (a, b):
            for c in range(columns.cols):
                mean = mp.fsum(columns[i, c] for i in range(n)) / n
                for i in range(n):
                    columns[i, c] -= mean
        for c in range(m):
            spread = mp.sqrt(mp.fsum(a[i, c] ** 2 for i in range(n)) / n) * mp.sqrt(m)
            for i in range(n):
                a[i, c] = a[i, c] / spread if spread else mp.mpf(0)
        b /= mp.mpf(unit)
        w = mp.inverse(a.T * a + penalty * mp.eye(m)) * (a.T * b)
        return float(mp.log(mp.det(mp.eye(m) + w * w.T), 2) / 2)


@pytest.fixture
def pair(normal):
    h = normal(20, 4)
    return h, h @ normal(4, 3) + 0.1 * normal(20, 3)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("penalty", "tolerance"), [(0.1, 1e-12), (1e-3, 1e-10), (1e-6, 1e-6)])
def test_features_collinear_to_1e_12(pair, normal, way, penalty, tolerance):
    h, y = pair
    h = torch.cat([h, h[:, :2] + 1e-12 * normal(20, 2)], dim=1)
    expected = exact(h, y, penalty)
    assert score_of(way, h, y, penalty) == pytest.approx(expected, rel=tolerance)


def few_rows(kind, normal):
    """Six rows of more features: what the dual is for."""
    if kind == "independent":
        return normal(6, 10)
    if kind == "rows twice":
        return normal(3, 10).repeat(2, 1)
    if kind == "collinear":
        h = normal(6, 7)
        return torch.cat([h, h + 1e-12 * normal(6, 7)], dim=1)
    noise = {"of rank two": 0.0, "nearly of rank two": 1e-9}[kind]
    return normal(6, 2) @ normal(2, 10) + noise * normal(6, 10)


KINDS = ("independent", "rows twice", "collinear", "of rank two", "nearly of rank two")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("num_targets", [3, 12])
@pytest.mark.parametrize(("scale", "penalty"), [(1, 0.1), (1, 1e-12), (1e8, 0.1), (1e8, 1e-6)])
def test_a_score_with_a_gradient_is_that_without_or_refused(
    normal, kind, num_targets, scale, penalty
):
    h, y = few_rows(kind, normal), normal(6, num_targets) * scale
    ours = Observer(reservoirs.Identity(h.shape[1]), ridge_penalty=penalty)
    try:
        found = ours.bits(Rows(h, y.requires_grad_()))
    except (ValueError, torch.linalg.LinAlgError):
        assert (scale, penalty) != (1, 0.1)
        return
    expected = exact(h, y.detach(), penalty, digits=150)
    assert float(found.detach()) == pytest.approx(expected, rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("scale", [1e-300, 1e-150, 1e150, 1e300])
def test_units_do_not_matter_to_score(normal, scale):
    x = normal(60, 3)
    y = torch.stack([x[:, 0].sin(), x[:, 1] * x[:, 2]], 1)
    plain = ln.score(x, y, draws=1, null=9)
    for inputs, targets in ((x * scale, y), (x, y * scale)):
        found = ln.score(inputs, targets, draws=1, null=9)
        assert found.bits == pytest.approx(plain.bits, rel=1e-12)
        assert found.floor_bits == pytest.approx(plain.floor_bits, rel=1e-12)
        assert found.p_value == plain.p_value


@pytest.mark.parametrize("way", WAYS)
def test_float16_features_and_targets_are_scored_as_the_numbers_they_are(pair, way):
    h, y = (values.half() for values in pair)
    assert score_of(way, h, y) == pytest.approx(exact(h, y), rel=1e-12)


@pytest.mark.parametrize("way", WAYS)
def test_ten_thousand_targets(normal, way):
    h = normal(30, 4)
    y = h @ normal(4, 10_000) + normal(30, 10_000)
    gram = (y @ y.T).numpy()  # an oracle of another shape: det(I + W W') through Y Y'
    centre = np.eye(30) - 1 / 30
    a = centre @ h.numpy()
    a = a / a.std(0) / 2
    solve = np.linalg.solve(a.T @ a + 0.1 * np.eye(4), a.T)
    product = solve @ centre @ gram @ centre @ solve.T
    expected = 0.5 * np.linalg.slogdet(np.eye(4) + product)[1] / math.log(2)
    assert score_of(way, h, y) == pytest.approx(expected, rel=1e-10)


def repeated_column(normal):
    h = normal(20, 2)
    return torch.cat([h, 3 * h[:, :1], h.sum(1, keepdim=True)], 1), normal(20, 2)


def test_the_default_solver_keeps_the_rule_where_gram_would_lose_digits(normal):
    h, y = repeated_column(normal)
    for penalty in (1e-14, 1e-12, 1e-10, 1e-9):
        try:
            found = float(Observer(reservoirs.Identity(4), ridge_penalty=penalty).bits(Rows(h, y)))
        except UserError:
            assert penalty < 1e-9
            continue
        assert found == pytest.approx(exact(h, y, penalty, digits=100), rel=1e-6)
    with pytest.raises(UserError, match="rounding may change the score"):
        Observer(reservoirs.Identity(4), ridge_penalty=1e-14).bits(Rows(h, y))


def test_where_gram_loses_digits_singular_values_answer(pair, normal):
    h, y = torch.cat([pair[0], pair[0][:, :2] + 1e-6 * normal(20, 2)], 1), normal(20, 3)
    with pytest.raises(UserError, match=r"where .* are right"):
        ours = Observer(reservoirs.Identity(6), ridge_penalty=1e-13)
        ours.bits(Rows(h, y.clone().requires_grad_()))
    assert score_of("auto", h, y, 1e-13) == pytest.approx(exact(h, y, 1e-13, digits=100), rel=1e-6)


@pytest.mark.parametrize("way", ["auto", "gram", "moments"])
def test_a_repeated_column_in_many_rows_is_refused_in_a_sentence(normal, way):
    h, y = normal(200_000, 2), normal(200_000, 1)
    with pytest.raises(UserError, match="choose a larger ridge_penalty"):
        score_of(way, torch.cat([h, h[:, :1]], 1), y, 1e-11)
    # The ridge of every day is not refused.
    assert score_of(way, h, y) == pytest.approx(score_of("spectral", h, y), rel=1e-9)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("scale", [1e-150, 1.0, 1e8, 1e150])
def test_harmless_settings_are_not_refused(pair, way, scale):
    h, y = pair
    for features in (h, h + 1e3, torch.cat([h, h * h, h**3, h**4, h**5, h**6], 1)):
        assert math.isfinite(score_of(way, features, y, 1e-2, target_unit=1 / scale))


@pytest.mark.parametrize("factored", [True, False])
def test_the_bound_of_rounding_does_not_depend_on_units(pair, factored):
    rows = Rows(*pair)
    axes = Spectral.of(rows.roots(torch.float64) if factored else rows.moments(torch.float64))
    large = replace(axes, eigenvalues=64 * axes.eigenvalues, cross=8 * axes.cross)
    bound = spectral_error(axes, 0.1, 1.0)
    assert spectral_error(large, 6.4, 64.0) == pytest.approx(bound, rel=1e-9, abs=0.0)


def test_the_quick_bound_is_the_slope_of_a_large_readout_and_an_upper_bound_of_a_small_one():
    w = 1e6
    moved = 0.5 * (math.log2(1 + (w * 1.001) ** 2) - math.log2(1 + (w / 1.001) ** 2))
    assert quick_error(1, 1e-3, 0.0, 1.0) == pytest.approx(moved, rel=1e-3)
    for w in (0.1, 1.0, 10.0):
        moved = math.log2(1 + 4 * (w + 1e-3) ** 2) - math.log2(1 + 4 * w**2)
        assert moved < quick_error(1, 0.0, 1e-3, 4.0) < 2.1 * 2e-3 / math.log(2)


def test_spectral_has_no_gradient_and_says_so(pair):
    ours = Observer(reservoirs.Identity(4), ridge_penalty=0.1, solver="spectral")
    with pytest.raises(UserError, match="has no gradient"):
        ours(pair[0], pair[1].requires_grad_())


def test_a_direction_that_is_rounding_does_not_refuse_rearranged_targets(normal):
    # Along it the product of other targets is rounding too, and their ratio could be anything.
    h, y = normal(3, 7).repeat(2, 1), normal(6, 3)
    fit = Observer(reservoirs.MLP(1, 7, 1), ridge_penalty=1e-9).fit(Rows(h, y))
    values = fit.axes.eigenvalues.sort(descending=True).values
    odd = replace(fit.axes, eigenvalues=torch.where(values > 1e-9, values, 1e-40))
    crosses = fit.axes.cross.clone()
    crosses[values <= 1e-9] = 1e-17
    (found,) = checked_refits(odd, crosses[None], odd.target_power[None], torch.tensor([1e-9]), 1.0)
    assert float(found) == pytest.approx(2 * fit.bits(), rel=1e-6)
