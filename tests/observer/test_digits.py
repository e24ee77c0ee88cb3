"""The rule of rounding: each score is within 1e-6 of fifty and more digits, or refused."""

from __future__ import annotations

import functools
import itertools
import math
from dataclasses import replace

import pytest
import torch
from mpmath import mp

from learnable_novelty.errors import UserError
from learnable_novelty.observer import reservoirs
from learnable_novelty.observer.observer import Observer
from learnable_novelty.observer.rounding import checked_refits
from learnable_novelty.observer.summary import Moments, Rows, merge

SOLVERS = ("auto", "gram", "spectral")
WAYS = (*SOLVERS, "moments", "chunks", "roots", "fit", "gradient", "gram fit")
PENALTIES = (1e-14, 1e-11, 1e-8, 1e-5, 1e-2, 1e2, 1e9)
SCALES = (1e-150, 1e-8, 1.0, 1e4, 1e8, 1e150)


def make(kind, dtype=torch.float64, seed=0):
    """Features and targets, given in the rounding of a dtype."""
    generator = torch.Generator().manual_seed(seed)

    def normal(*shape):
        return torch.randn(*shape, generator=generator, dtype=torch.float64)

    if kind == "tall":
        h, y = normal(24, 4), normal(24, 2)
    elif kind == "wide":
        h, y = normal(6, 9), normal(6, 2)
    elif kind == "exact relation":
        h = normal(20, 4)
        y = h @ normal(4, 2)
    elif kind == "repeated columns":
        a, b = normal(20, 1), normal(20, 1)
        h, y = torch.cat([a, b, 3 * a, a + b], 1), normal(20, 2)
    elif kind == "equal columns":
        a, b = normal(20, 1), normal(20, 1)
        h, y = torch.cat([a, b, a, a], 1), a + normal(20, 2)
    elif kind == "repeated rows":
        h, y = normal(3, 7).repeat(2, 1), normal(6, 3)
    elif kind == "rows and targets repeated":
        h, y = normal(4, 7).repeat(2, 1), normal(4, 2).repeat(2, 1)
    elif kind == "of rank two":
        h, y = normal(12, 2) @ normal(2, 5), normal(12, 2)
    elif kind == "nearly of rank two":
        h, y = normal(12, 2) @ normal(2, 5) + 1e-7 * normal(12, 5), normal(12, 2)
    elif kind == "repeated targets":
        h, y = normal(16, 3), normal(16, 1).repeat(1, 3) * torch.tensor([1.0, 2.0, -1.0])
    elif kind == "more targets than rows":
        h, y = normal(5, 8), normal(5, 7)
    elif kind == "graded targets":
        h, y = normal(16, 3), normal(16, 3) * torch.tensor([1.0, 1e20, 1e-20]).double()
    elif kind == "nearly constant":
        # Deviations of 100 to 3000 units in the last place of the mean.
        spread = torch.tensor([1e2, 5e2, 3e3]).double() * 2.0**-52
        h, y = 1.3 + spread * normal(20, 3), 1.7 + 2.0**-43 * normal(20, 2)
    else:
        assert kind == "far from the origin"
        h, y = normal(20, 3) + 1e3, normal(20, 2) - 1e3
    return h.to(dtype), y.to(dtype)


KINDS = (
    "tall",
    "wide",
    "exact relation",
    "repeated columns",
    "equal columns",
    "repeated rows",
    "rows and targets repeated",
    "of rank two",
    "nearly of rank two",
    "repeated targets",
    "more targets than rows",
    "graded targets",
    "far from the origin",
    "nearly constant",
)


class Exact:
    """Eq. (rc-score) of given numbers, in digits enough for their scale in a determinant."""

    def __init__(self, h, y):
        (n, m), d = h.shape, y.shape[1]
        self.m, self.d = m, d
        with mp.workdps(200):
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
            self.gram, self.cross = a.T * a, a.T * b

    def bits(self, penalty, scale):
        with mp.workdps(50):
            terms = ((scale * mp.mpf(scale)) ** k * e for k, e in enumerate(self.sums(penalty)))
            return float(mp.log(mp.fsum(terms), 2) / 2)

    @functools.cache  # noqa: B019
    def sums(self, penalty):
        """The e_k of det(I + t W'W) = sum_k e_k t^k by Faddeev and LeVerrier, up to the rank.

        All terms are positive: none cancels, whatever the scale of the targets.
        """
        with mp.workdps(200):
            w = mp.inverse(self.gram + mp.mpf(penalty) * mp.eye(self.m)) * self.cross
            small = w.T * w if self.d < self.m else w * w.T
            sums, power = [mp.mpf(1)], mp.eye(small.rows)
            for k in range(1, small.rows + 1):
                product = small * power
                value = mp.fsum(product[i, i] for i in range(small.rows)) / k
                if value <= 1e-150 * sums[-1] * sums[min(1, k - 1)]:
                    break  # beyond the rank: rounding of two hundred digits
                sums.append(value)
                power = value * mp.eye(small.rows) - product
            return sums


def score(way, h, y, penalty, scale):
    """The score by one way; the scale of the targets enters as their unit."""
    solver = way if way in SOLVERS else "gram" if way == "gram fit" else "auto"
    unit = 1 / scale
    ours = Observer(
        reservoirs.Identity(h.shape[1]), ridge_penalty=penalty, target_unit=unit, solver=solver
    )
    if way == "moments":
        return float(ours.bits(Moments.of(h, y)))
    if way == "chunks":
        return float(ours.bits(merge(map(Moments.of, h.split(3), y.split(3)))))
    if way == "roots":
        return ours.fit(Rows(h, y).roots(torch.float64)).bits()
    if way in ("fit", "gram fit"):
        return ours.fit(Rows(h, y)).bits()
    if way == "gradient":
        return float(ours.bits(Rows(h, y.clone().requires_grad_())).detach())
    return float(ours.bits(Rows(h, y)))


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=str)
@pytest.mark.parametrize("kind", KINDS)
def test_each_score_is_right_to_1e_6_or_refused(kind, dtype):
    h, y = make(kind, dtype)
    exact = Exact(h, y)
    for penalty, scale in itertools.product(PENALTIES, SCALES):
        expected = exact.bits(penalty, scale)
        for way in WAYS:
            try:
                found = score(way, h, y, penalty, scale)
            except UserError as refusal:
                assert "choose" in str(refusal)
                continue
            error = abs(found - expected)
            assert error <= 1e-6 * max(1.0, expected), (way, penalty, scale, found, expected)


def test_the_default_solver_keeps_the_rule_where_gram_would_lose_digits():
    h, y = make("repeated columns")
    exact = Exact(h, y)
    for penalty in (1e-14, 1e-12, 1e-10, 1e-9):
        try:
            found = score("auto", h, y, penalty, 1.0)
        except UserError:
            assert penalty < 1e-9
            continue
        assert found == pytest.approx(exact.bits(penalty, 1.0), rel=1e-6)
    with pytest.raises(UserError, match="rounding may change the score"):
        score("auto", h, y, 1e-14, 1.0)


def test_a_repeated_column_in_many_rows_is_refused_in_a_sentence():
    generator = torch.Generator().manual_seed(0)
    h = torch.randn(200_000, 2, generator=generator, dtype=torch.float64)
    y = torch.randn(200_000, 1, generator=generator, dtype=torch.float64)
    rows = torch.cat([h, h[:, :1]], 1)
    for way in ("auto", "gram", "moments", "gradient"):
        with pytest.raises(UserError, match="choose a larger ridge_penalty"):
            score(way, rows, y, 1e-11, 1.0)
    # The ridge of every day is not refused.
    expected = score("qr", h, y, 0.1, 1.0)
    assert score("auto", h, y, 0.1, 1.0) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("kind", ["tall", "wide", "exact relation", "far from the origin"])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("scale", [1e-150, 1.0, 1e8, 1e150])
def test_harmless_settings_are_not_refused(kind, way, scale):
    h, y = make(kind)
    if way == "gradient" and scale == 1e150 and kind == "wide":
        pytest.skip("a matrix of rows has no digits left there")
    assert math.isfinite(score(way, h, y, 1e-2, scale))


def test_spectral_has_no_gradient_and_says_so():
    h, y = make("tall")
    ours = Observer(reservoirs.Identity(4), ridge_penalty=0.1, solver="spectral")
    with pytest.raises(UserError, match="has no gradient"):
        ours(h, y.requires_grad_())


@pytest.mark.parametrize("way", ["auto", "gram", "spectral", "moments", "fit"])
def test_bfloat16_is_scored_as_the_numbers_it_holds(way):
    h, y = make("tall", torch.bfloat16)
    expected = Exact(h, y).bits(0.1, 1.0)
    assert score(way, h, y, 0.1, 1.0) == pytest.approx(expected, rel=1e-9)


def test_a_direction_that_is_rounding_does_not_refuse_rearranged_targets():
    # Along it the product of other targets is rounding too, and their ratio could be anything.
    h, y = make("repeated rows")
    fit = Observer(reservoirs.MLP(1, 7, 1), ridge_penalty=1e-9).fit(Rows(h, y))
    values = fit.axes.eigenvalues.sort(descending=True).values
    odd = replace(fit.axes, eigenvalues=torch.where(values > 1e-9, values, 1e-40))
    crosses = fit.axes.cross.clone()
    crosses[values <= 1e-9] = 1e-17
    (found,) = checked_refits(odd, crosses[None], odd.target_power[None], torch.tensor([1e-9]), 1.0)
    assert float(found) == pytest.approx(2 * fit.bits(), rel=1e-6)
