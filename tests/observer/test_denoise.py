"""Denoised bits: noise has none, clean data keeps its own, and the gradient is right."""

import numpy as np
import pytest
import torch
from scipy import stats

from learnable_novelty.observer import denoise, reservoirs
from learnable_novelty.observer.denoise import Edge
from learnable_novelty.observer.largest_root import LargestRoot, quantile, upper_tail
from learnable_novelty.observer.observer import Observer
from learnable_novelty.observer.summary import Moments, merge


def observer(width=16, inputs=3, **options):
    options.setdefault("ridge_penalty", 0.1)
    return Observer(reservoirs.MLP(inputs, width, 2, seed=0), **options)


@pytest.mark.parametrize(("x", "tail"), [(0.4501, 0.1), (0.9793, 0.05), (2.0234, 0.01)])
def test_the_tail_of_tracy_and_widom_is_that_of_published_tables(x, tail):
    assert upper_tail(x) == pytest.approx(tail, rel=0.02)
    assert quantile(tail) == pytest.approx(x, abs=0.02)


@pytest.mark.parametrize(("directions", "freedom"), [(5, 20), (12, 37), (60, 500)])
@pytest.mark.parametrize("tail", [0.1, 0.05, 0.01])
def test_with_one_target_the_law_is_the_f_test(directions, freedom, tail):
    root = directions * stats.f.isf(tail, directions, freedom)
    assert LargestRoot(directions, 1, freedom).p_value(root) == pytest.approx(tail, rel=1e-9)
    x = quantile(tail)
    assert LargestRoot(directions, 1, freedom).at(x) == pytest.approx(root, rel=1e-3)


def test_the_law_of_an_estimated_covariance_is_that_of_simulated_roots():
    generator, (r, d, f) = np.random.default_rng(0), (10, 4, 60)
    largest = []
    for _ in range(2000):
        a, b = generator.standard_normal((f, d)), generator.standard_normal((r, d))
        largest.append(np.linalg.eigvals(np.linalg.solve(a.T @ a / f, b.T @ b)).real.max())
    law = LargestRoot(r, d, f, estimated=d)
    share = np.mean([law.p_value(root) <= 0.05 for root in largest])
    assert share == pytest.approx(0.05, abs=0.015)


def test_it_is_the_shrunk_whitened_readout_written_out(normal):
    x, y = normal(200, 3), normal(200, 2)
    y = y + 3 * x[:, :2]
    ours = observer()
    fit = ours.fit(ours.rows(x, y))
    h, t = fit.rows.root.numpy(), fit.rows.along.numpy()
    u, s, _ = np.linalg.svd(h, full_matrices=False)
    kept = s**2 > 1e-10 * s[0] ** 2
    z, freedom = u[:, kept].T @ t, 199 - kept.sum()
    sigma = np.linalg.cholesky(fit.split.noise.root.numpy() @ fit.split.noise.root.numpy().T)
    left = t - u[:, kept] @ z
    np.testing.assert_allclose(np.diag(sigma @ sigma.T), (left**2).sum(0) / freedom)
    a, q, b = np.linalg.svd(z @ np.linalg.inv(sigma).T, full_matrices=False)
    edge = Edge(fit.split.noise.law)
    few, many = sorted((kept.sum(), 2))
    ratio, shape = q**2 / (many * edge.inflation), few / many
    shrunk = np.sqrt((ratio - shape - 1) ** 2 - 4 * shape) / ratio * q
    assert (q**2 > edge.root).all()
    back = (a * shrunk) @ b @ sigma.T
    weights = (s[kept] / (s[kept] ** 2 + 0.1))[:, None] * back
    bits = 0.5 * np.log2(1 + np.linalg.svd(weights, compute_uv=False) ** 2).sum()
    denoised = fit.denoised()
    assert denoised.bits == pytest.approx(bits, rel=1e-8)
    assert denoised.directions == 2
    assert float(ours(x, y, denoise=True)) == pytest.approx(bits, rel=1e-8)


def test_noise_has_none_and_clean_data_its_own(normal):
    x, noise = normal(400, 3), normal(400, 12)
    clean = x.repeat(1, 4)
    ours = observer(denoise=True)
    assert float(ours(x, noise)) == 0
    raw = float(ours(x, clean, denoise=False))
    assert float(ours(x, clean)) == pytest.approx(raw, rel=0.01)
    assert float(ours(x, clean + noise)) == pytest.approx(raw, rel=0.1)
    assert float(ours(x, torch.ones_like(noise))) == 0


@pytest.mark.parametrize("count", [60, 400])
@pytest.mark.parametrize("columns", [5, 40])
def test_noise_that_columns_share_is_not_learned(normal, count, columns):
    common = normal(count, 1)
    for noise in (common.repeat(1, columns), common + normal(count, columns)):
        assert float(observer(denoise=True)(normal(count, 3), noise)) == 0


def test_moments_chunks_and_rows_give_the_same_bits(normal):
    x, y = normal(300, 3), normal(300, 4)
    y = y + x[:, :1].sin()
    ours = observer()
    rows = ours.rows(x, y)
    want = float(ours(x, y, denoise=True))
    assert want > 0
    parts = [ours.rows(x[a:b], y[a:b]) for a, b in ((0, 70), (70, 300))]
    moments = merge(ours.moments(part, target_products=True) for part in parts)
    came = Moments.unpack(moments.pack(), 16, 4)
    assert torch.equal(came.target_gram, moments.target_gram)
    for data in (moments, came):
        assert float(ours.bits(data, denoise=True)) == pytest.approx(want, rel=1e-8)
    fits = [ours.fit(data) for data in (rows, moments, rows.roots(torch.float64))]
    for fit in fits:
        assert fit.denoised().bits == pytest.approx(want, rel=1e-8)
    for solver in ("spectral", "gram"):
        other = observer(solver=solver)
        assert float(other(x, y, denoise=True)) == pytest.approx(want, rel=1e-8)


def test_counted_inputs_give_the_bits_of_their_rows():
    generator = torch.Generator().manual_seed(0)
    inputs = torch.randint(0, 6, (500,), generator=generator)
    table = torch.randn(6, 3, generator=generator, dtype=torch.float64)
    targets = table[inputs][:, :2] + torch.randn(500, 2, generator=generator, dtype=torch.float64)
    ours = observer(width=4)
    features = ours.reservoir(table)
    counts = torch.bincount(inputs)
    sums = torch.zeros(6, 2, dtype=torch.float64).index_add_(0, inputs, targets)
    grouped = Moments.grouped(features, counts, sums, targets.T @ targets)
    want = float(ours(table[inputs], targets, denoise=True))
    assert want > 0
    assert float(ours.bits(grouped, denoise=True)) == pytest.approx(want, rel=1e-8)


def test_moments_without_products_are_refused(normal):
    ours = observer()
    rows = ours.rows(normal(50, 3), normal(50, 2))
    plain, full = ours.moments(rows), ours.moments(rows, target_products=True)
    with pytest.raises(ValueError, match="target_products=True"):
        ours.bits(plain, denoise=True)
    with pytest.raises(ValueError, match="both have the products"):
        plain + full


def test_the_gradient_is_the_slope(normal, monkeypatch):
    # How far correlations are shrunk has no gradient.
    monkeypatch.setattr(denoise, "_shrinkage", lambda *_: 0.3)
    x, y = normal(60, 2), normal(60, 3)
    y = (y + 4 * x[:, :1]).requires_grad_()
    ours = observer(width=6, inputs=2)

    def bits(inputs, targets):
        return ours(inputs, targets, denoise=True)

    x = x.requires_grad_()
    bits(x, y).backward()
    for values, step in ((x, normal(60, 2)), (y, normal(60, 3))):
        with torch.no_grad():
            moved = [
                bits(*(v + sign * 1e-5 * step if v is values else v for v in (x, y)))
                for sign in (1, -1)
            ]
        slope = float(moved[0] - moved[1]) / 2e-5
        assert float((values.grad * step).sum()) == pytest.approx(slope, rel=1e-5)


def test_fewer_rows_than_features_are_denoised_too(normal):
    x = normal(40, 3)
    wide = observer(width=100, denoise=True)
    assert float(wide(x, normal(40, 4))) == 0
    assert float(wide(x, x)) > 3


def test_few_rows_are_denoised_in_their_own_span(normal):
    """The same number by the Gram matrix of all features, and the slope along the targets."""
    x, wide = normal(40, 3), observer(width=100, denoise=True)
    y, step = (normal(40, 3) + 4 * x).requires_grad_(), normal(40, 3)
    bits = wide(x, y)
    bits.backward()
    whole = wide.bits(wide.moments(wide.rows(x, y.detach())))
    assert bits.item() == pytest.approx(float(whole), rel=1e-9)
    moved = [float(wide(x, (y + sign * 1e-5 * step).detach())) for sign in (1, -1)]
    assert float((y.grad * step).sum()) == pytest.approx((moved[0] - moved[1]) / 2e-5, rel=1e-5)


def test_three_rows_are_refused(normal):
    with pytest.raises(ValueError, match="at least 4 rows"):
        observer(denoise=True)(normal(3, 3), normal(3, 1))


def test_a_measured_edge_is_never_below_that_of_the_law():
    law = LargestRoot(10, 3, 50, 3)
    known = Edge(law)
    low = Edge(law, measured=torch.linspace(1, 2, 16))
    high = Edge(law, measured=10 * known.root * torch.linspace(1, 2, 16))
    assert low.root == known.root
    assert high.root > 20 * known.root
    assert low.dependence == 1 < high.dependence
    few = torch.linspace(1, 2, 6, dtype=torch.float64) * 10 * known.root
    z = (quantile(denoise.FALSE_RATE) - denoise.MEAN) / denoise.DEVIATION
    wide = stats.t.ppf(stats.norm.cdf(z), 5) * float(few.std()) * np.sqrt(1 + 1 / 6)
    edge = Edge(law, measured=few)
    assert edge.root == pytest.approx(float(few.mean()) + wide, rel=0.01)
    assert edge.p_value(edge.root) == pytest.approx(denoise.FALSE_RATE, rel=0.02)
    assert high.p_value(2 * known.root) > 0.5 > 0.01 > known.p_value(2 * known.root)
