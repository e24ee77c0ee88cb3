"""Codes of images: changes and recipes, the jury that sees no labels, and the three artefacts."""

import dataclasses
import math
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
import torch
from scipy.ndimage import affine_transform, map_coordinates
from scipy.stats import t

from learnable_novelty.observer import reservoirs
from learnable_novelty.observer.observer import Observer
from learnable_novelty.observer.summary import Rows
from novelty_lab import records
from novelty_lab.context import NO_CHECKPOINTS, RunContext, TaskContext
from novelty_lab.intervals import half_interval
from novelty_lab.studies.image_codes import controls, joined, jury, select, training
from novelty_lab.systems.images import Images, load_images

RESULTS = Path(__file__).parents[3] / "results"


@pytest.fixture(scope="module")
def digits():
    return load_images("digits")


def chance(seed=4):
    return torch.Generator().manual_seed(seed)


# Changes


def test_images_move_by_whole_pixels_and_zeros_come_in():
    images = torch.arange(1.0, 37.0).view(1, 6, 6).repeat(400, 1, 1)
    moved = training.move(images, 2, chance()).numpy()
    padded = np.pad(images[0].numpy(), 2)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (6, 6)).reshape(25, 6, 6)
    counts = [sum(np.array_equal(one, window) for one in moved) for window in windows]
    assert sum(counts) == 400  # each is one of the 25 shifts
    assert min(counts) > 0


def test_a_warp_turns_scales_shears_and_shifts_as_scipy_does(digits):
    some = digits.train_images[:6].double()
    found = training.changed(some, "warped", chance())
    drawn = torch.rand(5, 6, generator=chance()).double()
    for image, warped, values in zip(some, found, 2 * drawn.T.numpy() - 1, strict=True):
        turn, scaling, shear, x, y = values
        angle, size = math.pi / 12 * turn, 1 + 0.1 * scaling
        across = np.array([size * math.cos(angle), 0.1 * shear - size * math.sin(angle)])
        down = np.array([size * math.sin(angle), size * math.cos(angle)])
        matrix = np.array([down[::-1], across[::-1]])  # scipy counts rows first
        centre = np.full(2, (8 - 1) / 2)
        offset = centre - matrix @ centre + 2 * np.array([y, x])
        wide = np.pad(image.numpy(), 8)  # zeros come in from outside
        expected = affine_transform(wide, matrix, offset + 8 - matrix @ [8, 8], order=1)  # type: ignore[arg-type]
        np.testing.assert_allclose(warped.numpy(), expected[8:16, 8:16], atol=1e-5)


def test_a_bend_reads_the_image_along_a_smooth_field_as_scipy_does(digits):
    some = digits.train_images[:4].double()
    drawn = torch.rand(4, 2, 5, 5, generator=chance()).double()
    field = torch.nn.functional.interpolate(
        3 * (2 * drawn - 1), size=(8, 8), mode="bicubic", align_corners=True
    )
    places = np.mgrid[:8, :8].astype(float)
    bent = training.bend(some, chance())
    for image, seen, (x, y) in zip(some, bent, field.numpy(), strict=True):
        wide = np.pad(image.numpy(), 8)  # zeros come in from outside
        expected = map_coordinates(wide, places + np.stack([y, x]) + 8, order=1)
        np.testing.assert_allclose(seen.numpy(), expected, atol=1e-5)


def test_a_crop_stretches_a_rectangle_as_scipy_does(digits):
    some = digits.train_images[:6].double()
    drawn = torch.rand(4, 6, generator=chance()).double()
    cropped = training.crop(some, chance())
    for image, seen, values in zip(some, cropped, 2 * drawn.T.numpy() - 1, strict=True):
        width, height = 1 - 0.4 * (1 + values[:2]) / 2
        places = np.mgrid[:8, :8] - 3.5
        down = height * places[0] + 4 * (1 - height) * values[3] + 3.5
        across = width * places[1] + 4 * (1 - width) * values[2] + 3.5
        expected = map_coordinates(np.pad(image.numpy(), 8), np.stack([down, across]) + 8, order=1)
        np.testing.assert_allclose(seen.numpy(), expected, atol=1e-5)


def test_half_of_the_images_are_mirrored_and_the_others_stay():
    images = torch.rand(4000, 3, 3, dtype=torch.float64)
    mirrored = training.mirror(images, chance())
    flipped = torch.tensor(np.array([np.fliplr(image) for image in images.numpy()]))
    changed, same = (mirrored == flipped).all((1, 2)), (mirrored == images).all((1, 2))
    assert (changed ^ same).all()
    assert abs(changed.double().mean() - 0.5) < 5 * 0.5 / math.sqrt(4000)


def test_an_erased_square_may_be_anywhere_and_leaves_the_rest():
    images = 1 + torch.rand(4000, 10, 10, dtype=torch.float64)
    holes = (training.erase(images, chance()) == 0).numpy()
    corners = set()
    for hole in holes:
        rows, columns = np.flatnonzero(hole.any(1)), np.flatnonzero(hole.any(0))
        assert hole.sum() == 16 and np.ptp(rows) == np.ptp(columns) == 3
        corners.add((rows[0], columns[0]))
    assert len(corners) == 7 * 7


@pytest.mark.parametrize("change", get_args(training.Change))
def test_a_change_is_of_the_seed(digits, change):
    images = digits.train_images[:100]
    first, again, other = (training.changed(images, change, chance(k)) for k in (1, 1, 2))
    assert torch.equal(first, again)
    assert first.shape == images.shape
    assert not torch.equal(first, other)


# Trainings


@pytest.mark.parametrize("name", ["paper", "coding rate", "conv by both, resolution 300, moved"])
def test_a_recipe_raises_its_own_objective(name, digits):
    recipe = dataclasses.replace(training.RECIPES[name], batch_size=64)
    encoder, (found,) = training.train(recipe, digits.train_images, 0, 15)
    assert np.mean(found.scores[-3:]) > found.scores[0]
    codes = training.encode(encoder, digits.test_images, chunk=100)
    torch.testing.assert_close(codes.norm(dim=1), torch.ones(len(codes)))


def test_the_first_score_is_that_of_an_observer_on_the_first_batch(digits):
    recipe = dataclasses.replace(training.RECIPES["conv by both, resolution 300"], batch_size=64)
    firsts = {}
    for kind in ("mlp", "conv", "both"):
        one = dataclasses.replace(recipe, objective=kind)
        firsts[kind] = training.train(one, digits.train_images, 0, 1)[1][0].scores[0]
    assert firsts["both"] == pytest.approx((firsts["mlp"] + firsts["conv"]) / 2)
    observer = training.image_observer("conv", 8, 3.0, 30.0, seed=1)
    images, codes = digits.train_images[:96], torch.randn(96, 5, generator=chance())
    kept = training.features_of(observer, images, chunk=10)
    torch.testing.assert_close(observer.bits(Rows(kept, codes)), observer(images, codes))


def test_an_annealed_training_goes_on_where_it_was_cut_off(digits, tmp_path, monkeypatch):
    recipe = dataclasses.replace(
        training.RECIPES["conv by mlp, moved"], batch_size=64, width=16, annealed=0.2
    )
    whole, ascents = training.train(recipe, digits.train_images, 0, 10)
    assert [len(one.scores) for one in ascents] == [8, 2]
    task, made, ascent = TaskContext(tmp_path), [], training.Ascent

    def fail_at_second(*arguments, **options):
        made.append(ascent(*arguments, **options) if not made else 1 / 0)
        return made[0]

    with monkeypatch.context() as patched, pytest.raises(ZeroDivisionError):
        patched.setattr(training, "Ascent", fail_at_second)
        training.train(recipe, digits.train_images, 0, 10, task)
    again, _ = training.train(recipe, digits.train_images, 0, 10, task)
    for a, b in zip(whole.parameters(), again.parameters(), strict=True):
        assert torch.equal(a, b)


@pytest.mark.parametrize("code_dim", [3, 9])
def test_the_coding_rate_is_that_of_the_singular_values(code_dim):
    codes = torch.randn(6, code_dim, generator=chance(), dtype=torch.float64)
    sizes = np.linalg.svd(codes.numpy(), compute_uv=False) ** 2
    expected = 0.5 * np.log2(1 + code_dim / (6 * 2.0) * sizes).sum()
    found = training.total_coding_rate(torch.zeros(6, 1), codes, squared_distortion=2.0)
    assert float(found) == pytest.approx(expected, rel=1e-12)


# The jury


def test_what_a_code_says_of_the_place_does_not_count():
    """The mean of an image stays when it moves; where its weight lies does not."""
    draw, images = chance(0), torch.zeros(400, 12, 12)
    images[:, 4:8, 4:8] = torch.rand(400, 4, 4, generator=draw)
    moved = training.move(images, 2, draw)
    mass = moved.sum((1, 2))
    place = (moved.sum(1) @ torch.arange(12.0)) / mass
    observer = training.image_observer("mlp", 12, 400 * training.PER_SAMPLE, 30.0, seed=0)
    stays, goes = (
        jury.above_floor(observer, images.flatten(1), codes[:, None], 8, 0)[2]
        for codes in (mass, place)
    )
    assert stays > 2 * goes


def test_excess_of_noise_is_near_zero_and_of_structure_is_not():
    draw = chance(0)
    inputs = torch.randn(400, 6, generator=draw)
    observer = Observer(reservoirs.MLP(6, 64, 2), ridge_penalty=9.0, resolution=30.0)
    structure = torch.tanh(inputs @ torch.randn(6, 4, generator=draw))
    bits, floor, explained = jury.above_floor(observer, inputs, structure, 16, 0)
    assert bits - floor > 1 and explained > 0.5
    noise = torch.randn(400, 4, generator=draw)
    bits, floor, explained = jury.above_floor(observer, inputs, noise, 16, 0)
    assert abs(bits - floor) < 0.3 * bits and explained < 0.5


def test_ranks_of_a_jury_by_hand():
    found = {
        "short": {"excess": [1.0, 5.0]},
        "long": {"excess": [2.0, 4.0]},
        "none": {"excess": [0.0, 0.0]},
    }
    mean_rank = jury.rank(found)
    assert mean_rank == {"short": 1.5, "long": 1.5, "none": 3.0}
    assert found["short"]["ranks"] == [2, 1]
    assert jury.best_of(mean_rank) == ["short", "long"]


@pytest.mark.parametrize(("held_out", "judged"), [(5000, 10), (10, 11), (10, 0)])
def test_images_are_left_to_train_on(digits, held_out, judged):
    with pytest.raises(ValueError, match=r"held_out|judged"):
        jury.parted(digits.train_images, held_out, judged)


# The artefacts


def test_no_label_is_seen_before_the_probes(monkeypatch, digits):
    few = {"recipes": ("coding rate",), "steps": 2, "budgets": (), "judged": 32, "orders": 1}
    blind = Images(digits.name, digits.train_images, None, None, None)  # type: ignore[arg-type]
    monkeypatch.setattr(select, "images_of", lambda *_: blind)
    select.run(dataclasses.replace(select.QUICK, **few), seed=0, context=RunContext())
    shuffled = dataclasses.replace(digits, train_labels=digits.train_labels.flip(0))
    codes, again = (
        controls.make_codes(controls.QUICK, images, "paper", 0, "cpu", NO_CHECKPOINTS)
        for images in (digits, shuffled)
    )
    assert all(torch.equal(a, b) for a, b in zip(codes, again, strict=True))


def test_the_chosen_recipe_is_judged_at_every_length(monkeypatch):
    excess = {
        ("paper", 5): [3.0, 2.0],
        ("coding rate", 5): [1.0, 1.0],
        ("paper", 7): [4.0, 1.0],
        ("paper", 9): [5.0, 3.0],
    }
    monkeypatch.setattr(
        select,
        "train_and_judge",
        lambda config, name, *_: {"excess": excess[name, config.steps], "device": "cpu"},
    )
    config = dataclasses.replace(select.QUICK, steps=5, budgets=(7, 9))
    found = select.run(config, seed=0, context=RunContext()).results
    assert (found["chosen"], found["chosen_steps"]) == (["paper"], [9])
    assert found["lengths"]["paper"]["mean_rank"] == {"5": 2.5, "7": 2.5, "9": 1.0}


def test_the_table_of_controls_has_mean_and_deviation_over_seeds(monkeypatch):
    monkeypatch.setattr(
        controls,
        "make_and_probe",
        lambda config, dataset, method, number, *_: (
            dict.fromkeys(controls.MEASURES, 0.5 + 0.1 * number) | {"device": "cpu"}
        ),
    )
    table = controls.run(controls.QUICK, seed=0, context=RunContext()).results["table"]["digits"]
    assert table["pixels"]["linear"] == {"mean": 0.5, "sd": 0.0, "runs": 1}
    own = table["paper"]["neighbours"]
    assert (own["mean"], own["sd"]) == pytest.approx((0.55, 0.1 / math.sqrt(2)))


@pytest.mark.parametrize("runs", [2, 5, 40])
def test_the_interval_of_a_mean_is_students(runs):
    found = {"mean": 0.5, "sd": 0.1, "runs": runs}
    expected = t.ppf(0.975, runs - 1) * 0.1 / runs**0.5
    assert half_interval(found) == pytest.approx(expected, rel=1e-9)
    assert half_interval({**found, "runs": 1}) == 0


def test_joined_codes_keep_all_columns_and_unit_length():
    unit = torch.nn.functional.normalize(torch.randn(2, 5, 3, dtype=torch.float64), dim=2)
    both = joined.joined([joined.Code({"train": one}, 1.5) for one in unit])
    torch.testing.assert_close(both.codes["train"].norm(dim=1), torch.ones(5).double())
    torch.testing.assert_close(both.codes["train"][:, 3:] * math.sqrt(2), unit[1])
    assert both.seconds == 3.0


def test_joined_codes_are_judged_beside_a_control_of_their_length():
    config = dataclasses.replace(joined.QUICK, steps=5, judged=64, orders=1)
    found = joined.run(config, seed=0, context=RunContext()).results
    assert list(found["candidates"]) == ["moved", "bent", "joined", "moved x2"]
    assert {len(one["excess"]) for one in found["candidates"].values()} == {2 * len(jury.JURORS)}
    single, control = found["candidates"]["moved"], found["candidates"]["moved x2"]
    assert single["excess"] != control["excess"]
    first, second = (group["joined"]["linear"] for group in (found["candidates"], *found["more"]))
    assert found["probes"]["joined"]["linear"] == pytest.approx(
        {"mean": (first + second) / 2, "sd": abs(first - second) / math.sqrt(2)}
    )
    with pytest.raises(ValueError, match="two changes or more, each once"):
        joined.run(
            dataclasses.replace(config, changes=("bent", "bent")), seed=0, context=RunContext()
        )


def test_the_table_holds_what_the_jury_chose():
    for seed in range(3):
        found = records.load(RESULTS / "encoder-select" / f"paper-seed{seed}").results
        assert tuple(found["chosen"]) == controls.PAPER.selected
        assert tuple(found["chosen_steps"]) == controls.PAPER.selected_steps
