"""The loss against NumPy, finite differences, refits without a row, and what users do with it."""

import copy
import math

import numpy as np
import pytest
import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.multiprocessing.spawn import spawn

import learnable_novelty as ln
from learnable_novelty.errors import UserError, UserTypeError
from learnable_novelty.objective import AnyShape, effective_rank

GREY = (1, 8, 8)


def draw(rows, dim, seed=0, dtype=torch.float64):
    return torch.randn(rows, dim, generator=torch.Generator().manual_seed(seed)).to(dtype)


def grad(leaf):
    assert leaf.grad is not None
    return leaf.grad


def features_of(loss, inputs):
    assert loss.reservoir is not None
    return loss.reservoir(inputs)


def images(rows, seed=0):
    return torch.rand(rows, *GREY, generator=torch.Generator().manual_seed(seed))


def readable(loss, inputs, dim, seed=1):
    """Codes that are linear in what the observer sees."""
    loss(inputs, draw(len(inputs), dim))
    features = features_of(loss, inputs).double()
    return features @ draw(features.shape[1], dim, seed)


def oracle_bits(features, codes, penalty, resolution, honest):
    """The loss's bits in NumPy: singular values, and one refit for every row that is left out."""
    h, y = np.asarray(features, float), np.asarray(codes, float)
    n = len(h)
    h = (h - h.mean(0)) / h.std(0) / math.sqrt(h.shape[1])
    y = (y - y.mean(0)) / np.sqrt(y.var(0) + 1e-5)
    eye = penalty * np.eye(h.shape[1])
    w = np.linalg.solve(h.T @ h + eye, h.T @ y)
    if honest:
        fit = 1 - ((y - h @ w) ** 2).sum(0) / (y**2).sum(0)
        errors = []
        for i in range(n):
            keep = np.arange(n) != i
            hm, ym = h[keep].mean(0), y[keep].mean(0)
            hc, yc = h[keep] - hm, y[keep] - ym
            wi = np.linalg.solve(hc.T @ hc + eye, hc.T @ yc)
            errors.append(y[i] - ym - (h[i] - hm) @ wi)
        loo = 1 - (np.array(errors) ** 2).sum(0) / (y**2).sum(0)
        soft = np.log1p(np.exp(10 * loo / fit)) / np.log1p(np.exp(10))
        w = w * np.minimum(soft, 1)
    s = np.linalg.svd(w, compute_uv=False)
    return 0.5 * np.log2(1 + resolution * s**2).sum()


@pytest.mark.parametrize("honest", [True, False])
@pytest.mark.parametrize(("rows", "features", "dim"), [(40, 6, 3), (20, 30, 4), (25, 4, 12)])
def test_bits_are_those_of_singular_values_and_refits(rows, features, dim, honest):
    loss = ln.EpiplexityLoss(features=features, honest=honest, ridge_penalty=0.7, resolution=12.0)
    inputs = draw(rows, 5)
    codes = inputs[:, :1] * draw(1, dim, 1) + 0.5 * draw(rows, dim, 2)
    bits = loss.bits(inputs, codes)
    expected = oracle_bits(features_of(loss, inputs), codes, 0.7, 12.0, honest)
    assert float(bits) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("honest", [True, False])
def test_the_gradient_is_that_of_finite_differences(honest):
    loss = ln.EpiplexityLoss(features=5, honest=honest)
    inputs, codes = draw(12, 3), draw(12, 4, 1).requires_grad_()
    assert torch.autograd.gradcheck(lambda y: loss.bits(inputs, y), (codes,), atol=1e-6)


def test_single_and_double_precision_have_one_gradient():
    inputs, codes = images(128), draw(128, 16, 1)
    gradients = []
    for dtype in (torch.float32, torch.float64):
        y = codes.to(dtype).requires_grad_()
        ln.EpiplexityLoss()(inputs, y).backward()
        gradients.append(grad(y).double())
    error = (gradients[0] - gradients[1]).norm() / gradients[1].norm()
    assert error < 1e-6


@pytest.mark.parametrize("rows", [64, 128, 512])
def test_noise_earns_little_of_what_a_readable_code_earns(rows):
    loss, inputs = ln.EpiplexityLoss(), images(rows)
    code = readable(loss, inputs, 64)
    noise = float(loss.bits(inputs, draw(rows, 64, 3)))
    assert noise < 0.15 * float(loss.bits(inputs, code))
    raw = ln.EpiplexityLoss(honest=False)
    assert float(raw.bits(inputs, draw(rows, 64, 3))) > 0.5 * float(raw.bits(inputs, code))


def test_a_code_that_has_almost_collapsed_has_a_gradient_and_a_constant_one_is_defined():
    loss, inputs = ln.EpiplexityLoss(), images(64)
    code = readable(loss, inputs, 8)
    near = (1 + 1e-4 * code).requires_grad_()
    loss(inputs, near).backward()
    wide = (1 + code).requires_grad_()
    loss(inputs, wide).backward()
    assert grad(near).norm() > 10 * grad(wide).norm()
    constant = torch.ones(64, 8, requires_grad=True)
    value = loss(inputs, constant)
    value.backward()
    assert float(value.detach()) == 0
    assert bool(grad(constant).isfinite().all())


@pytest.mark.parametrize(
    "shape", [(7,), (1,), (3, 50), (2, 3), (1, 28, 28), (3, 32, 20), (5, 2, 2), (3, 96, 64)]
)
def test_inputs_of_any_shape_are_read(shape):
    inputs = torch.rand(16, *shape)
    codes = torch.randn(16, 4, requires_grad=True)
    loss = ln.EpiplexityLoss()
    loss(inputs, codes).backward()
    features = features_of(loss, inputs)
    assert features.shape == (16, 64)
    assert bool(grad(codes).isfinite().all())
    assert features.std(0).min() > 0


def test_an_action_is_read_beside_the_inputs():
    inputs, action = images(256), draw(256, 2, 5, torch.float32)
    codes = action @ draw(2, 6, 6, torch.float32)
    with_action, without = ln.EpiplexityLoss(), ln.EpiplexityLoss()
    assert with_action.bits(inputs, codes, action) > 3 * without.bits(inputs, codes).clamp(min=1)
    with pytest.raises(UserError, match=r"expected actions \(256, 2\), got none"):
        with_action(inputs, codes)


def test_bytes_are_divided_by_255_and_codes_are_flattened():
    pixels = torch.randint(0, 256, (32, 3, 8, 8), dtype=torch.uint8)
    codes = torch.randn(32, 4, 2)
    loss = ln.EpiplexityLoss()
    same = loss.bits(pixels.float() / 255, codes.flatten(1))
    assert torch.equal(loss.bits(pixels, codes), same)


def test_views_are_averaged():
    a, b = images(64, 1), images(64, 2)
    y, z = draw(64, 4, 1), draw(64, 4, 2)
    loss = ln.EpiplexityLoss()
    one, two, three = loss.bits(a, y), loss.bits(b, z), loss.bits(a, z)
    assert torch.allclose(loss.bits([a, b], [y, z]), (one + two) / 2)
    assert torch.allclose(loss.bits(a, [y, z]), (one + three) / 2)
    with pytest.raises(UserError, match="one view of the inputs"):
        loss([a, b, a], [y, z])
    with pytest.raises(UserError, match=r"of one shape, got \(64, 4\), \(64, 3\)"):
        loss(a, [y, z[:, :3]])


def test_the_first_batch_sets_the_unit_and_the_state_keeps_it():
    loss, inputs = ln.EpiplexityLoss(seed=3), images(128)
    code = readable(ln.EpiplexityLoss(seed=3), inputs, 16)
    assert float(loss(inputs, code)) == pytest.approx(-1)
    assert float(loss.last_bits) == pytest.approx(float(loss.bits(inputs, code)))
    half = torch.cat([code[:, :8], draw(128, 8, 9)], 1)
    fresh = ln.EpiplexityLoss()
    fresh.load_state_dict(copy.deepcopy(loss.state_dict()))
    assert torch.equal(fresh(inputs, half), loss(inputs, half))
    assert -1 < float(loss(inputs, half)) < -0.2
    plain = ln.EpiplexityLoss(normalize=False, seed=3)
    assert float(plain(inputs, code)) == pytest.approx(-float(loss.first_bits))


def test_a_reservoir_of_your_own_is_used():
    own = ln.reservoirs.ImageConv(8, channels=16, depth=1, seed=0)
    loss = ln.EpiplexityLoss(reservoir=own)
    inputs, codes = images(64), draw(64, 4)
    expected = oracle_bits(own(inputs), codes, 3.0, 30.0, True)
    assert float(loss.bits(inputs, codes)) == pytest.approx(expected, rel=1e-6)


def test_it_works_under_autocast_in_half_precision():
    last = nn.Linear(64, 8)
    net = nn.Sequential(nn.Flatten(), last)
    loss, inputs = ln.EpiplexityLoss(), images(64)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        codes = net(inputs)
        assert codes.dtype == torch.bfloat16
        value = loss(inputs, codes)
    value.backward()
    assert value.dtype == torch.float32
    exact = ln.EpiplexityLoss()(inputs, codes.detach().double())
    assert float(value.detach()) == pytest.approx(float(exact), rel=1e-6)
    assert grad(last.weight).norm() > 0


@pytest.mark.filterwarnings("ignore:The .grad attribute:UserWarning")
def test_it_compiles():
    inputs, codes = images(32), draw(32, 4, 1, torch.float32)
    loss = ln.EpiplexityLoss()
    plain = loss(inputs, codes)
    compiled = torch.compile(loss, backend="aot_eager")
    y = codes.clone().requires_grad_()
    value = compiled(inputs, y)
    value.backward()
    z = codes.clone().requires_grad_()
    loss(inputs, z).backward()
    assert float(value.detach()) == pytest.approx(float(plain), rel=1e-6)
    assert torch.allclose(grad(y), grad(z), rtol=1e-5, atol=1e-9)


@pytest.mark.parametrize(
    ("inputs", "codes", "error", "words"),
    [
        (torch.rand(2, 3), torch.rand(2, 4), UserError, "at least 3 samples"),
        (torch.rand(5, 3), torch.rand(4, 4), UserError, "one row per sample"),
        (torch.rand(5, 3), torch.rand(5), UserError, "one row per sample"),
        (torch.rand(5, 3), torch.ones(5, 2, dtype=torch.long), UserTypeError, "floating"),
        (torch.rand(5, 3), torch.tensor([[math.nan, 1.0]] * 5), UserError, "codes hold NaN"),
        (torch.full((5, 3), math.inf), torch.rand(5, 2), UserError, "inputs hold NaN"),
        (np.zeros((5, 3)), torch.rand(5, 2), UserTypeError, "inputs must be a torch.Tensor"),
        (torch.rand(5, 1, 2, 3, 4), torch.rand(5, 2), UserError, "height, width"),
    ],
)
def test_what_cannot_be_read_is_said_in_a_sentence(inputs, codes, error, words):
    with pytest.raises(error, match=words):
        ln.EpiplexityLoss()(inputs, codes)


def test_a_ridge_that_rounding_swallows_is_said_in_a_sentence():
    with pytest.raises(UserError, match="larger ridge_penalty"):
        ln.EpiplexityLoss(ridge_penalty=1e-300)(draw(10, 3), draw(10, 2))


def test_other_shapes_than_the_first_are_refused():
    loss = ln.EpiplexityLoss()
    loss(images(8), draw(8, 2))
    with pytest.raises(UserError, match=r"expected inputs \(num_samples, 1, 8, 8\)"):
        loss(torch.rand(8, 3, 8, 8), draw(8, 2))
    with pytest.raises(UserError, match="ridge_penalty"):
        ln.EpiplexityLoss(ridge_penalty=0)
    with pytest.raises(UserError, match="features"):
        AnyShape((3,), features=0)


def train(weight, honest=True, steps=150):
    """Pull two noisy views of digits together, with the loss at some weight against collapse."""
    torch.manual_seed(0)
    digits = (
        torch.tensor(load_digits(return_X_y=True)[0][:512].reshape(-1, 8, 8), dtype=torch.float32)[
            :, None
        ]
        / 16
    )
    net = nn.Sequential(nn.Flatten(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 16))
    loss = ln.EpiplexityLoss(honest=honest)
    optimizer = torch.optim.Adam(net.parameters(), 3e-3)
    for _ in range(steps):
        one, two = (net(digits + 0.3 * torch.randn_like(digits)) for _ in range(2))
        total = (one - two).square().mean()
        if weight:
            total = total + weight * loss(digits, [one, two])
        optimizer.zero_grad()
        total.backward()
        optimizer.step()
    return net(digits).detach()


def directions(codes):
    """How many singular values exceed a hundredth of what one direction of size one has."""
    values = torch.linalg.svdvals(codes - codes.mean(0))
    return int((values > 0.01 * len(codes) ** 0.5).sum())


def test_it_keeps_a_code_from_collapsing():
    alone, kept = train(0.0), train(1.0)
    assert directions(alone) == 0
    assert directions(kept) == 16
    assert effective_rank(kept) > 5


def _rank(rank, folder, inputs, codes, gradients):
    torch.distributed.init_process_group(
        "gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=2
    )
    mine = slice(0, 20) if rank == 0 else slice(20, None)  # of unequal length
    own = codes[mine].clone().requires_grad_()
    ln.EpiplexityLoss()(inputs[mine], own).backward()
    gradients[mine] = grad(own) / 2  # as DistributedDataParallel averages over ranks
    torch.distributed.destroy_process_group()


def test_ranks_have_the_gradient_of_the_undivided_batch(tmp_path):
    inputs, codes = draw(48, 5), draw(48, 6, 1)
    whole = codes.clone().requires_grad_()
    ln.EpiplexityLoss()(inputs, whole).backward()
    gradients = torch.zeros(48, 6, dtype=torch.float64).share_memory_()
    arguments = (str(tmp_path), inputs, codes, gradients)
    spawn(_rank, arguments, nprocs=2)
    assert torch.allclose(gradients, grad(whole), rtol=1e-9, atol=1e-12)
