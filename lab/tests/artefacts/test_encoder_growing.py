"""A code of images against an observer that grows: its warps, its phases, and its choice."""

from __future__ import annotations

import dataclasses
import itertools
import math
from typing import Any, get_args

import numpy as np
import pytest
import torch
from scipy.ndimage import affine_transform, map_coordinates

from learnable_novelty.errors import UserError
from novelty_lab.context import RunContext
from novelty_lab.studies.image_codes import growing as experiment
from novelty_lab.studies.image_codes import training
from novelty_lab.systems.images import load_images

TINY = dataclasses.replace(
    experiment.QUICK.training, steps=30, width=16, smooth=3, patience=4, rise=50.0
)


@pytest.fixture(scope="module")
def images():
    return load_images("digits").train_images[:300]


def test_a_warp_turns_scales_shears_and_shifts_as_scipy_does(images):
    some = images[:6].double()
    found = training.changed(some, "warped", torch.Generator().manual_seed(4))
    drawn = torch.rand(5, 6, generator=torch.Generator().manual_seed(4)).double()
    for image, warped, values in zip(some, found, 2 * drawn.T.numpy() - 1, strict=True):
        turn, scaling, shear, x, y = values
        angle, size = math.pi / 12 * turn, 1 + 0.1 * scaling
        across = np.array([size * math.cos(angle), 0.1 * shear - size * math.sin(angle)])
        down = np.array([size * math.sin(angle), size * math.cos(angle)])
        matrix = np.array([down[::-1], across[::-1]])  # scipy counts rows first
        centre = np.full(2, (8 - 1) / 2)
        offset = centre - matrix @ centre + 2 * np.array([y, x])
        wide = np.pad(image.numpy(), 8)  # zeros come in from outside
        from_corner: Any = offset + 8 - matrix @ [8, 8]
        expected = affine_transform(wide, matrix, from_corner, order=1)
        np.testing.assert_allclose(warped.numpy(), expected[8:16, 8:16], atol=1e-5)


def test_a_bend_reads_the_image_along_a_smooth_field_as_scipy_does(images):
    some = images[:4].double()
    bent = training.bend(some, torch.Generator().manual_seed(4))
    drawn = torch.rand(4, 2, 5, 5, generator=torch.Generator().manual_seed(4)).double()
    field = torch.nn.functional.interpolate(
        3 * (2 * drawn - 1), size=(8, 8), mode="bicubic", align_corners=True
    )
    places = np.mgrid[:8, :8].astype(float)
    for image, seen, (x, y) in zip(some, bent, field.numpy(), strict=True):
        expected = map_coordinates(
            np.pad(image.numpy(), 8), places + np.stack([y, x]) + 8, order=1
        )  # zeros come in from outside
        np.testing.assert_allclose(seen.numpy(), expected, atol=1e-5)


@pytest.mark.parametrize("change", get_args(training.Change))
def test_a_change_is_of_the_seed_and_keeps_the_shape(images, change):
    first, again, other = (
        training.changed(images, change, torch.Generator().manual_seed(seed)) for seed in (1, 1, 2)
    )
    assert first.shape == images.shape
    assert torch.equal(first, again)
    assert not torch.equal(first, other)
    assert not torch.equal(first, images)


def test_while_nothing_grows_both_arms_are_equal_to_the_last_digit(images):
    config = dataclasses.replace(TINY, patience=1000)
    (one, frozen), (other, growing) = (
        training.train_growing(config, images, "moved", 0, grows=grows) for grows in (False, True)
    )
    assert [p.ascended.scores for p in frozen] == [p.ascended.scores for p in growing]
    for a, b in zip(one.parameters(), other.parameters(), strict=True):
        assert torch.equal(a, b)


def test_growth_keeps_the_width_and_takes_all_steps(images):
    _, phases = training.train_growing(TINY, images, "warped", 0, grows=True)
    assert sum(len(phase.ascended.scores) for phase in phases) == TINY.steps
    assert phases[0].growth is not None
    assert phases[-1].growth is None
    for before, after in itertools.pairwise(phases):
        assert after.observer.reservoir.feature_dim == TINY.width
        if before.growth is not None:
            assert after.observer is before.growth.observer
            assert after.observer.resolution == TINY.resolution


def test_a_training_that_was_cut_off_goes_on_where_it_was(images, tmp_path, monkeypatch):
    from novelty_lab.context import TaskContext

    task = TaskContext(tmp_path)
    whole, _ = training.train_growing(TINY, images, "moved", 0, grows=True)
    with monkeypatch.context() as patched:
        patched.setattr(training, "_grown", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            training.train_growing(TINY, images, "moved", 0, grows=True, task=task)
    again, _ = training.train_growing(TINY, images, "moved", 0, grows=True, task=task)
    for a, b in zip(whole.parameters(), again.parameters(), strict=True):
        assert torch.equal(a, b)


def test_the_place_by_label_counts_who_is_better():
    found = {"a": {"linear": 0.9}, "b": {"linear": 0.95}, "c": {"linear": 0.9}}
    assert [experiment.place_of(found, name, "linear") for name in "abc"] == [2, 1, 2]


def test_a_crop_stretches_a_rectangle_as_scipy_does(images):
    some = images[:6].double()
    cropped = training.crop(some, torch.Generator().manual_seed(4))
    drawn = torch.rand(4, 6, generator=torch.Generator().manual_seed(4)).double()
    for image, seen, values in zip(some, cropped, 2 * drawn.T.numpy() - 1, strict=True):
        width, height = 1 - 0.4 * (1 + values[:2]) / 2
        places = np.mgrid[:8, :8] - 3.5
        down = height * places[0] + 4 * (1 - height) * values[3] + 3.5
        across = width * places[1] + 4 * (1 - width) * values[2] + 3.5
        expected = map_coordinates(np.pad(image.numpy(), 8), np.stack([down, across]) + 8, order=1)
        np.testing.assert_allclose(seen.numpy(), expected, atol=1e-5)


def test_half_of_the_images_are_mirrored_and_the_others_stay():
    images = torch.rand(4000, 3, 3, dtype=torch.float64)
    mirrored = training.mirror(images, torch.Generator().manual_seed(4))
    flipped = torch.tensor(np.array([np.fliplr(image) for image in images.numpy()]))
    changed, same = (mirrored == flipped).all((1, 2)), (mirrored == images).all((1, 2))
    assert (changed ^ same).all()
    assert abs(changed.double().mean() - 0.5) < 5 * 0.5 / math.sqrt(4000)


def test_an_erased_square_may_be_anywhere_and_leaves_the_rest():
    images = 1 + torch.rand(4000, 10, 10, dtype=torch.float64)
    erased = training.erase(images, torch.Generator().manual_seed(4))
    assert set(erased.unique().tolist()) - set(images.unique().tolist()) == {0.0}
    holes = (erased == 0).numpy()
    corners = set()
    for hole in holes:
        rows, columns = np.flatnonzero(hole.any(1)), np.flatnonzero(hole.any(0))
        assert hole.sum() == 16 and np.ptp(rows) == np.ptp(columns) == 3
        corners.add((rows[0], columns[0]))
    assert len(corners) == 7 * 7


def test_joined_codes_keep_all_columns_and_unit_length():
    unit = torch.nn.functional.normalize(torch.randn(2, 5, 3, dtype=torch.float64), dim=2)
    both = experiment.joined([experiment.Code({"train": one}, [{}], 1.5) for one in unit])
    torch.testing.assert_close(both.codes["train"].norm(dim=1), torch.ones(5).double())
    torch.testing.assert_close(both.codes["train"][:, 3:] * math.sqrt(2), unit[1])
    assert (both.phases, both.seconds) == ([{}, {}], 3.0)


def _tiny(context: RunContext | None = None, **settings: Any) -> dict[str, Any]:
    short = dataclasses.replace(TINY, steps=6, patience=1000)  # too short to grow
    few = {"training": short, "judged": 64, "orders": 1, "seeds": 1}
    config = dataclasses.replace(experiment.QUICK, **(few | settings))
    return experiment.run(config, seed=0, context=context or RunContext()).results


def test_the_jury_sees_images_changed_as_it_was_set():
    results = _tiny(changes=("moved", "bent"), judged_changes=("bent",))
    assert list(results["candidates"]) == [
        "frozen, moved", "frozen, bent", "growing, moved", "growing, bent"
    ]  # fmt: skip
    for one in results["candidates"].values():
        assert one["excess"] == one["excess_by_change"]["bent"] != one["excess_by_change"]["moved"]
    assert results["chosen"] == results["chosen_by_change"]["bent"]


def test_joined_codes_are_judged_beside_a_control_of_their_length():
    both = ("moved", "bent")
    results = _tiny(changes=both, judged_changes=both, joined=True, seeds=2)
    codes = (*both, "joined", "moved x2")
    assert list(results["candidates"]) == [
        f"{observer}, {code}" for observer in ("frozen", "growing") for code in codes
    ]
    for one in results["candidates"].values():
        by_change = one["excess_by_change"]
        assert one["excess"] == by_change["moved"] + by_change["bent"]
    observer = results["chosen"].split(", ")[0]
    assert set(results["probes"]) == {f"{observer}, {code}" for code in codes}
    single, control = (results["candidates"][f"frozen, {code}"] for code in ("moved", codes[-1]))
    assert single["excess"] != control["excess"]


def test_a_run_that_was_cut_off_after_training_has_the_same_codes(tmp_path, monkeypatch):
    both = {"changes": ("moved", "bent"), "joined": True}
    whole = _tiny(**both)
    context = RunContext(workspace=tmp_path)
    with monkeypatch.context() as patched:
        patched.setattr(experiment, "probe", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            _tiny(context, **both)
    resumed = _tiny(context, **both)
    for name, one in whole["candidates"].items():
        again = resumed["candidates"][name]
        assert {**one, "seconds": 0} == {**again, "seconds": 0}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"changes": ("warped",), "joined": True}, "joined needs two changes or more, got warped"),
        ({"changes": ("bent", "bent")}, "expected every change once, got bent, bent"),
        ({"judged_changes": ("moved", "moved")}, "expected every change once, got moved, moved"),
    ],
)
def test_changes_that_cannot_be_judged_are_refused(settings, message):
    with pytest.raises(UserError, match=message):
        _tiny(**settings)


def test_a_change_that_nobody_knows_is_refused():
    with pytest.raises(UserError, match="each one of moved, warped, bent, cropped, mirr"):
        dataclasses.replace(experiment.QUICK, changes=("torn",))


def test_settings_that_leave_nothing_to_train_are_refused(images):
    with pytest.raises(UserError, match="annealed must be a share above 0 and up to 1, got 0"):
        training.train_growing(
            dataclasses.replace(TINY, annealed=0.0), images, "moved", 0, grows=False
        )
    config = dataclasses.replace(experiment.QUICK, held_out=5000)
    with pytest.raises(UserError, match="held_out must leave some of the 1,300 images"):
        experiment.run(config, seed=0, context=RunContext())
