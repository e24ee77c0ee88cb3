"""Frozen random feature maps."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from scipy.spatial.distance import cdist
from scipy.stats import rankdata
from torch.nn.functional import avg_pool2d, conv1d, conv2d, max_pool2d, pad

from learnable_novelty.observer.observer import Observer
from learnable_novelty.observer.reservoirs import (
    MLP,
    Conv1d,
    Conv2d,
    Fourier,
    ImageConv,
    Recurrent,
    Tabular,
)

ACTIVATIONS = {
    "elu": lambda v: np.where(v > 0, v, np.expm1(np.minimum(v, 0))),
    "gelu": lambda v: v * 0.5 * (1 + np.vectorize(math.erf)(v / math.sqrt(2))),
    "tanh": np.tanh,
    "relu": lambda v: np.maximum(v, 0),
}

TABLE = torch.randn(40, 3, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
MAKERS = {
    "mlp": (lambda **k: MLP(3, 8, 3, **k), (5, 3)),
    "conv1d": (lambda **k: Conv1d(2, 8, 3, **k), (5, 2, 7)),
    "conv2d": (lambda **k: Conv2d(2, 8, 3, **k), (5, 2, 6, 7)),
    "fourier": (lambda **k: Fourier(3, 8, **k), (5, 3)),
    "recurrent": (lambda **k: Recurrent(3, 8, **k), (5, 9, 3)),
    "image": (lambda **k: ImageConv(6, 8, 2, **k), (5, 6, 6)),
    "tabular": (lambda **k: Tabular(TABLE, **{"landmarks": 8, **k}), (5, 3)),
}
every_reservoir = pytest.mark.parametrize("make, shape", MAKERS.values(), ids=MAKERS)


# Shapes and layout


@pytest.mark.parametrize(
    "reservoir, inputs, features, rows",
    [
        (MLP(3, 8, 2), (5, 3), (5, 8), (5, 8)),
        (Conv1d(2, 8, 3), (5, 2, 7), (5, 8, 7), (35, 8)),
        (Conv2d(2, 8, 3), (5, 2, 6, 7), (5, 8, 6, 7), (210, 8)),
        (Fourier(3, 8), (5, 3), (5, 8), (5, 8)),
        (Recurrent(3, 8, washout=2), (5, 9, 3), (5, 9, 8), (35, 8)),
        (ImageConv(9, 8, 2), (5, 9, 9), (5, 32), (5, 32)),
        (Tabular(TABLE, landmarks=8), (5, 3), (5, 11), (5, 11)),
    ],
    ids=MAKERS,
)
def test_features_keep_the_layout_and_rows_flatten_it(reservoir, inputs, features, rows):
    given = torch.randn(inputs)
    out = reservoir(given)
    assert out.shape == features
    assert reservoir.rows(out).shape == rows
    assert reservoir.feature_dim == rows[1]


# Against loops and library convolutions


def test_lattice_rows_are_sites_sample_by_sample(normal):
    one, two = Conv1d(1, 4, 2), Conv2d(1, 4, 2)
    ring, torus = normal(3, 2, 5), normal(3, 2, 4, 5)
    expected = torch.stack([ring[n, :, i] for n in range(3) for i in range(5)])
    assert torch.equal(one.rows(ring), expected)
    expected = torch.stack(
        [torus[n, :, i, j] for n in range(3) for i in range(4) for j in range(5)]
    )
    assert torch.equal(two.rows(torus), expected)


def test_recurrent_rows_are_time_steps_without_the_washout(normal):
    values = normal(3, 6, 2)
    expected = torch.stack([values[n, t] for n in range(3) for t in range(2, 6)])
    assert torch.equal(Recurrent(2, 4, washout=2).rows(values), expected)
    with pytest.raises(ValueError, match="longer than washout=6"):
        Recurrent(2, 4, washout=6).rows(values)


def forward_by_hand(drives, activation, gain, normalize, epsilon):
    """Apply normalize and nonlinearity to pre-activations, features last."""
    if normalize:
        mean = drives.mean(-1, keepdims=True)
        variance = ((drives - mean) ** 2).mean(-1, keepdims=True)
        drives = (drives - mean) / np.sqrt(variance + epsilon)
    return ACTIVATIONS[activation](gain * drives)


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("linear_last", [True, False])
def test_mlp_equals_a_loop_over_units(normal, activation, normalize, linear_last):
    knobs = {"activation": activation, "normalize": normalize, "gain": 1.3, "epsilon": 1e-3}
    reservoir = MLP(3, 5, 3, seed=4, linear_last=linear_last, **knobs)
    inputs = normal(6, 3)
    held = {name: value.numpy() for name, value in reservoir.state_dict().items()}
    expected = np.empty((6, 5))
    for sample in range(6):
        hidden = inputs[sample].numpy()
        for layer in range(3):
            weight, bias = held[f"weight{layer}"], held[f"bias{layer}"]
            drive = np.array(
                [
                    sum(weight[u, i] * hidden[i] for i in range(len(hidden))) + bias[u]
                    for u in range(5)
                ]
            )
            linear = linear_last and layer == 2
            hidden = drive if linear else forward_by_hand(drive, **knobs)
        expected[sample] = hidden
    np.testing.assert_allclose(reservoir(inputs).numpy(), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("length, kernel_size", [(9, 3), (9, 5), (2, 3), (1, 3), (2, 5), (5, 1)])
def test_conv1d_equals_circularly_padded_convolution(normal, length, kernel_size):
    channels, depth = 4, 3
    reservoir = Conv1d(2, channels, depth, kernel_size, normalize=False, activation="tanh")
    hidden = inputs = normal(3, 2, length)
    for layer in range(depth):
        width = kernel_size if layer < depth - 1 else 1
        weight = getattr(reservoir, f"weight{layer}")
        kernel = weight.view(channels, width, hidden.shape[1]).permute(0, 2, 1)
        padded = pad(hidden, (width // 2, width // 2), mode="circular")
        hidden = conv1d(padded, kernel, getattr(reservoir, f"bias{layer}"))
        hidden = hidden.tanh() if layer < depth - 1 else hidden
    assert torch.allclose(reservoir(inputs), hidden, rtol=0, atol=1e-12)


def test_conv2d_equals_circularly_padded_convolution(normal):
    reservoir = Conv2d(2, 4, 3, 3, normalize=False)
    hidden = inputs = normal(2, 2, 5, 6)
    for layer in range(3):
        width = 3 if layer < 2 else 1
        weight = getattr(reservoir, f"weight{layer}")
        kernel = weight.view(4, width, width, hidden.shape[1]).permute(0, 3, 1, 2)
        padded = pad(hidden, (width // 2,) * 4, mode="circular")
        hidden = conv2d(padded, kernel, getattr(reservoir, f"bias{layer}"))
        hidden = torch.nn.functional.elu(hidden) if layer < 2 else hidden
    assert torch.allclose(reservoir(inputs), hidden, rtol=0, atol=1e-12)


def test_recurrent_equals_a_loop(normal):
    reservoir = Recurrent(2, 5, leak=0.3, spectral_radius=0.8, input_scale=0.5, seed=3)
    inputs = normal(3, 7, 2)
    got = reservoir(inputs).numpy()
    drive, recurrence = reservoir.drive.numpy(), reservoir.recurrence.numpy()
    for sequence in range(3):
        state = np.zeros(5)
        for t in range(7):
            pre = drive @ inputs[sequence, t].numpy() + recurrence @ state + reservoir.bias.numpy()
            state = 0.7 * state + 0.3 * np.tanh(pre)
            np.testing.assert_allclose(got[sequence, t], state, rtol=0, atol=1e-12)


@pytest.mark.parametrize("radius", [0.0, 0.5, 1.2])
def test_spectral_radius_is_really_set(radius):
    reservoir = Recurrent(2, 20, spectral_radius=radius, seed=5)
    largest = np.abs(np.linalg.eigvals(reservoir.recurrence.numpy())).max()
    assert largest == pytest.approx(radius, abs=1e-12)


def test_fourier_products_average_to_the_gaussian_kernel(normal):
    width, lengthscale = 40_000, 0.7
    reservoir = Fourier(3, width, lengthscale=lengthscale, seed=2)
    inputs = normal(8, 3)
    features = reservoir(inputs)
    angles = inputs @ reservoir.frequency.T + reservoir.phase
    torch.testing.assert_close(features, 2**0.5 * torch.cos(angles))
    assert 0 <= float(reservoir.phase.min()) < 0.01 < 6.27 < float(reservoir.phase.max())
    distance = torch.cdist(inputs, inputs)
    kernel = torch.exp(-(distance**2) / (2 * lengthscale**2))
    # A product of two features has variance at most 2.
    assert ((features @ features.T) / width - kernel).abs().max() < 5 * math.sqrt(2 / width)


def test_initial_weights_are_uniform_within_the_inverse_root_of_fan_in():
    reservoir = Conv1d(3, 64, 3, 5)
    for layer, fan_in in enumerate([15, 320, 64]):
        weight = getattr(reservoir, f"weight{layer}")
        assert weight.shape == (64, fan_in)
        assert weight.abs().max() <= fan_in**-0.5
        assert getattr(reservoir, f"bias{layer}").abs().max() <= fan_in**-0.5
        expected = 1 / (3 * fan_in)
        assert float(weight.var()) == pytest.approx(expected, rel=0.2)


# Frozen, reproducible, the same in every dtype


@every_reservoir
def test_a_seed_is_one_reservoir_in_every_dtype(make, shape, normal):
    reservoir, inputs = make(seed=3), normal(*shape)
    double, single = reservoir(inputs), reservoir(inputs.float())
    assert (double.dtype, single.dtype) == (torch.float64, torch.float32)
    assert torch.allclose(single.double(), double, rtol=0, atol=2e-5)
    for name, weight in reservoir.weights_like(inputs.float()).items():
        assert weight.dtype == torch.float32
        assert torch.equal(weight, reservoir.state_dict()[name].float())


@every_reservoir
def test_redraw_changes_features_and_is_reproducible(make, shape, normal):
    reservoir, inputs = make(seed=0), normal(*shape)
    first = reservoir(inputs)
    second = reservoir.redraw(1)(inputs)
    assert not torch.allclose(first, second)
    assert torch.equal(second, make(seed=1)(inputs))
    assert torch.equal(reservoir.redraw(0)(inputs), first)


@every_reservoir
def test_state_dict_round_trip_carries_the_draw(make, shape, normal):
    source, target, inputs = make(seed=1), make(seed=2), normal(*shape)
    target(inputs.float())  # fills the cache of rounded weights, which loading must drop
    target.load_state_dict(source.state_dict())
    assert torch.equal(target(inputs), source(inputs))
    assert torch.equal(target(inputs.float()), source(inputs.float()))


# Lattices


@pytest.mark.parametrize("depth, kernel_size", [(1, 3), (2, 3), (3, 3), (3, 5), (4, 3)])
def test_receptive_radius_is_true(normal, depth, kernel_size):
    reservoir = Conv1d(1, 8, depth, kernel_size)
    radius = reservoir.receptive_radius
    inputs, length = normal(1, 1, 25), 25
    site = 12
    before = reservoir(inputs)[0, :, site]

    def change(distance):
        moved = inputs.clone()
        moved[0, 0, (site + distance) % length] += 1.0
        return float((reservoir(moved)[0, :, site] - before).abs().max())

    for distance in range(radius + 1, length - site):
        assert change(distance) == change(-distance) == 0.0
    assert change(radius) > 1e-8
    assert change(-radius) > 1e-8


# Images and tables


@pytest.mark.parametrize("kernel_size, pool", [(1, 2), (3, 1), (5, 3)])
@pytest.mark.parametrize("pooling", ["average", "max"])
@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("linear_last", [True, False])
def test_images_equal_library_convolutions(
    normal, kernel_size, pool, pooling, normalize, linear_last
):
    knobs = {"pool": pool, "pooling": pooling, "normalize": normalize, "linear_last": linear_last}
    reservoir = ImageConv(11, 4, 2, kernel_size, gain=1.3, seed=3, **knobs)
    images = normal(3, 11, 11)
    hidden = images[:, None]
    for layer in range(2):
        weight, bias = getattr(reservoir, f"weight{layer}"), getattr(reservoir, f"bias{layer}")
        drive = conv2d(hidden, weight, bias, padding="same")
        if layer == 0 or not linear_last:
            last = forward_by_hand(drive.movedim(1, -1).numpy(), "elu", 1.3, normalize, 1e-5)
            drive = torch.from_numpy(last).movedim(-1, 1)
        hidden = (avg_pool2d if pooling == "average" else max_pool2d)(drive, pool)
    found = reservoir(images)
    assert torch.allclose(found, hidden.reshape(3, -1), rtol=0, atol=1e-12)
    assert torch.equal(reservoir(images[:, None]), found)


def test_a_ridge_on_a_table_is_kernel_ridge(normal):
    # With 17 rows every row is a landmark and every value a quantile, so ranks are exact.
    x, y = normal(17, 3), normal(17, 1)
    x[:, 2] = (x[:, 2] > 0).double()
    deviations = ((x - x.mean(0)) / x.std(0, correction=0)).numpy()
    z = deviations / 2 + 12**0.5 / 2 * (rankdata(x, axis=0) - 0.5) / 17
    z[:, 2] = 1.5 * x[:, 2]
    apart = cdist(z, z, "cityblock")
    near = np.exp(-apart / torch.from_numpy(apart[apart > 0]).median().item())
    centring = np.eye(17) - 1 / 17
    kernels = [centring @ one @ centring for one in (deviations @ deviations.T, near)]
    kernel = sum(17 * one / np.trace(one) for one in kernels)
    left = (
        y.numpy()
        - y.numpy().mean()
        - kernel @ np.linalg.solve(kernel + 0.3 * np.eye(17), y.numpy() - y.numpy().mean())
    )
    readout = Observer(Tabular(x), ridge_penalty=0.3).readout(x, y)
    share = 1 - np.square(left).sum() / np.square(y.numpy() - y.numpy().mean()).sum()
    assert readout.explained_variance == pytest.approx(share, abs=1e-6)


# Every field matters


FEEDFORWARD = {
    "activation": "tanh",
    "normalize": False,
    "gain": 1.5,
    "linear_last": False,
    "epsilon": 0.1,
    "seed": 1,
}
FIELDS = {
    **dict.fromkeys(("mlp", "conv1d", "conv2d"), FEEDFORWARD),
    "image": {**FEEDFORWARD, "pool": 1, "pooling": "max", "kernel_size": 5},
    "recurrent": {"spectral_radius": 0.5, "leak": 0.5, "input_scale": 0.3, "seed": 1},
    "fourier": {"lengthscale": 2.0, "seed": 1},
    "tabular": {"landmarks": 4, "seed": 1},
}


@pytest.mark.parametrize(
    "kind, field", [(kind, field) for kind in FIELDS for field in FIELDS[kind]]
)
def test_every_field_changes_the_features_and_how_they_are_called(kind, field, normal):
    make, shape = MAKERS[kind]
    inputs, change = normal(*shape), {field: FIELDS[kind][field]}
    plain, other = make()(inputs), make(**change)(inputs)
    assert plain.shape != other.shape or not torch.allclose(other, plain, rtol=1e-3)
    assert repr(make()) != repr(make(**change))


# Errors


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: MLP(0, 8, 2), "input_dim must be a positive integer"),
        (lambda: MLP(3, 8.0, 2), "width must be a positive integer"),
        (lambda: MLP(3, 8, 0), "depth must be a positive integer"),
        (lambda: MLP(3, True, 2), "width must be a positive integer"),
        (lambda: MLP(3, 8, 2, activation="sine"), "activation must be one of elu, gelu"),
        (lambda: MLP(3, 8, 2, epsilon=-1.0), "epsilon must be at least 0"),
        (lambda: MLP(3, 8, 2, gain=math.nan), "gain must be a finite number"),
        (lambda: MLP(3, 8, 2, seed=-1), "seed must be a non-negative integer"),
        (lambda: Conv1d(0, 8, 2), "input_channels must be a positive integer"),
        (lambda: Conv1d(1, 0, 2), "channels must be a positive integer"),
        (lambda: Conv1d(1, 8, 2, 4), "kernel_size must be odd"),
        (lambda: Conv2d(1, 8, 2, -3), "kernel_size must be a positive integer"),
        (lambda: Fourier(3, 0), "width must be a positive integer"),
        (lambda: Fourier(3, 8, lengthscale=0.0), "lengthscale must be positive"),
        (lambda: Recurrent(3, 8, leak=0.0), r"leak must be in \(0, 1\]"),
        (lambda: Recurrent(3, 8, leak=1.5), r"leak must be in \(0, 1\]"),
        (lambda: Recurrent(3, 8, spectral_radius=-0.1), "spectral_radius must be at least 0"),
        (
            lambda: Recurrent(3, 8, spectral_radius=math.inf),
            "spectral_radius must be a finite number",
        ),
        (lambda: Recurrent(3, 8, washout=-1), "washout must be at least 0"),
        (lambda: ImageConv(8, 4, 4), r"at least pool\*\*depth = 16, got 8"),
        (lambda: ImageConv(8, 4, 2, 2), "kernel_size must be odd"),
        (lambda: ImageConv(8, 4, 2, pooling="min"), "average or max, got 'min'"),
        (lambda: ImageConv(8, 4, 2, epsilon=-1.0), "epsilon must be at least 0"),
        (lambda: Tabular(TABLE, landmarks=0), "landmarks must be a positive integer"),
        (lambda: Tabular(TABLE[0]), r"expected rows \(num_rows, columns\)"),
    ],
)
def test_bad_arguments_are_refused_with_what_was_expected(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    "reservoir, shape, message",
    [
        (MLP(3, 8, 2), (5, 4), r"\(num_samples, input_dim=3\), got shape \(5, 4\)"),
        (MLP(3, 8, 2), (5, 3, 2), r"\(num_samples, input_dim=3\)"),
        (Conv1d(2, 8, 2), (5, 7, 2), r"\(num_samples, channels=2, length\)"),
        (Conv2d(2, 8, 2), (5, 2, 7), r"\(num_samples, channels=2, height, length\)"),
        (Fourier(3, 8), (3,), r"\(num_samples, input_dim=3\)"),
        (Recurrent(3, 8), (5, 3), r"\(num_sequences, time, input_dim=3\)"),
        (ImageConv(8, 4, 2), (3, 8, 7), r"side=8.*got shape \(3, 8, 7\)"),
        (ImageConv(8, 4, 2), (3, 2, 8, 8), r"got shape \(3, 2, 8, 8\)"),
    ],
)
def test_inputs_of_another_shape_are_refused_by_named_dimensions(reservoir, shape, message):
    with pytest.raises(ValueError, match=message):
        reservoir(torch.zeros(shape))
