"""The convolutional reservoir for images."""

from __future__ import annotations

import copy

import pytest
import torch
from torch.nn.functional import avg_pool2d, conv2d, elu, max_pool2d

from learnable_novelty.observer.observer import Observer
from learnable_novelty.observer.reservoirs import ImageConv


def reference(reservoir, images, pool, pooling, normalize, gain=1.0, epsilon=1e-5):
    """Normalize by hand, convolve and pool by the library."""
    hidden = images[:, None]
    for layer in range(reservoir.depth):
        weight = getattr(reservoir, f"weight{layer}")
        drive = conv2d(hidden, weight, getattr(reservoir, f"bias{layer}"), padding="same")
        if normalize:
            mean = drive.mean(1, keepdim=True)
            variance = ((drive - mean) ** 2).mean(1, keepdim=True)
            drive = (drive - mean) / (variance + epsilon).sqrt()
        hidden = (avg_pool2d if pooling == "average" else max_pool2d)(elu(gain * drive), pool)
    return hidden.reshape(len(images), -1)


@pytest.mark.parametrize("kernel_size", [1, 3, 5])
@pytest.mark.parametrize("pool", [1, 2, 3])
@pytest.mark.parametrize("pooling", ["average", "max"])
@pytest.mark.parametrize("normalize", [True, False])
def test_features_equal_library_convolutions(normal, kernel_size, pool, pooling, normalize):
    knobs = {"pool": pool, "pooling": pooling, "normalize": normalize}
    reservoir = ImageConv(11, 4, 2, kernel_size, gain=1.3, seed=3, **knobs)
    images = normal(3, 11, 11)
    expected = reference(reservoir, images, gain=1.3, **knobs)
    found = reservoir(images)
    assert found.shape == (3, reservoir.feature_dim)
    assert torch.allclose(found, expected, rtol=0, atol=1e-12)


def test_one_image_is_one_row_with_or_without_a_channel_axis(normal):
    reservoir = ImageConv(9, 4, 2)
    images = normal(5, 9, 9)
    features = reservoir(images)
    assert features.shape == (5, 4 * 2 * 2) == (5, reservoir.feature_dim)
    assert torch.equal(reservoir(images[:, None]), features)
    assert torch.equal(reservoir.rows(features), features)
    assert torch.allclose(reservoir(images[2:3]), features[2:3], atol=1e-14)


def test_findings_size_is_1152_features():
    assert ImageConv(28, 128, 3).feature_dim == 1152


def test_gradient_equals_finite_differences(normal):
    reservoir = ImageConv(5, 3, 2, pooling="average")
    images = normal(2, 5, 5).requires_grad_()
    assert torch.autograd.gradcheck(reservoir, images)


def test_an_observer_scores_codes_of_images_and_differentiates_them(normal):
    observer = Observer(ImageConv(6, 8, 1), ridge_penalty=0.3)
    images, codes = normal(20, 6, 6), normal(20, 3).requires_grad_()
    bits = observer(images, codes)
    bits.backward()
    assert float(bits.detach()) > 0
    assert float(codes.grad.abs().sum()) > 0
    with pytest.raises(ValueError, match="expected targets"):
        observer(images, normal(20, 3, 6))


def test_one_seed_is_one_reservoir_in_every_dtype(normal):
    reservoir = ImageConv(8, 6, 2, seed=5)
    rounded = copy.deepcopy(reservoir).float()
    images = normal(4, 8, 8)
    assert torch.equal(rounded.double()(images), reservoir(images))
    single = reservoir(images.float())
    assert single.dtype == torch.float32
    assert torch.allclose(single.double(), reservoir(images), atol=1e-5)
    assert torch.equal(ImageConv(8, 6, 2, seed=5)(images), reservoir(images))
    assert not torch.allclose(ImageConv(8, 6, 2, seed=6)(images), reservoir(images))
    assert all(buffer.dtype == torch.float64 for buffer in reservoir.buffers())
    assert not list(reservoir.parameters())


@pytest.mark.parametrize(
    "change",
    [
        {"pool": 1},
        {"pooling": "max"},
        {"activation": "tanh"},
        {"normalize": False},
        {"gain": 2.0},
        {"epsilon": 0.1},
        {"kernel_size": 5},
        {"seed": 1},
    ],
    ids=lambda change: next(iter(change)),
)
def test_every_knob_changes_the_features(normal, change):
    images = normal(3, 8, 8)
    base, other = ImageConv(8, 4, 2)(images), ImageConv(8, 4, 2, **change)(images)
    assert base.shape != other.shape or not torch.allclose(base, other)
    assert repr(ImageConv(8, 4, 2)) != repr(ImageConv(8, 4, 2, **change))


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: ImageConv(8, 4, 4), r"at least pool\*\*depth = 16, got 8"),
        (lambda: ImageConv(8, 4, 2, 2), "kernel_size must be odd"),
        (lambda: ImageConv(8, 4, 2, pooling="min"), "average or max, got 'min'"),
        (lambda: ImageConv(8, 4, 2, epsilon=-1.0), "epsilon must be at least 0"),
        (lambda: ImageConv(8, 0, 2), "channels must be a positive integer"),
        (lambda: ImageConv(8, 4, 2)(torch.zeros(3, 8, 7)), r"side=8.*got shape \(3, 8, 7\)"),
        (lambda: ImageConv(8, 4, 2)(torch.zeros(3, 64)), r"got shape \(3, 64\)"),
        (lambda: ImageConv(8, 4, 2)(torch.zeros(3, 2, 8, 8)), r"got shape \(3, 2, 8, 8\)"),
    ],
)
def test_what_makes_no_sense_is_refused(make, words):
    with pytest.raises(ValueError, match=words):
        make()


def test_whole_numbers_are_refused():
    with pytest.raises(TypeError, match="floating"):
        ImageConv(8, 4, 2)(torch.zeros(3, 8, 8, dtype=torch.uint8))
