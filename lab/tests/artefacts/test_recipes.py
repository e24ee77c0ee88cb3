"""Codes of images: recipes, the jury that chooses without labels, and the table of controls."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest
import torch

from learnable_novelty.observer import reservoirs
from learnable_novelty.observer.observer import Observer
from novelty_lab import records
from novelty_lab.context import RunContext
from novelty_lab.intervals import half_interval
from novelty_lab.paper.fig4_encoder.encoding import images_of
from novelty_lab.report import save_figure, tables_of
from novelty_lab.runner import run_experiment
from novelty_lab.studies.image_codes import controls as encoder_controls
from novelty_lab.studies.image_codes import recipes
from novelty_lab.studies.image_codes import select as encoder_select
from novelty_lab.systems.images import Images, load_images

RESULTS = Path(__file__).parents[3] / "results"


@pytest.fixture(scope="module")
def digits():
    return load_images("digits")


@pytest.mark.parametrize(
    "name",
    ["paper", "coding rate", "mlp by conv", "conv by mlp", "conv by both, resolution 300, moved"],
)
def test_every_recipe_raises_its_own_objective(name, digits):
    recipe = dataclasses.replace(recipes.RECIPES[name], batch_size=64)
    encoder, found = recipes.train_recipe(recipe, digits.train_images, 0, 15)
    assert np.mean(found.scores[-3:]) > found.scores[0]
    codes = recipes.encode(encoder, digits.test_images, chunk=100)
    assert codes.shape == (len(digits.test_images), recipes.CODE_DIM)
    torch.testing.assert_close(codes.norm(dim=1), torch.ones(len(codes)))


def test_features_kept_from_the_start_score_as_features_made_anew(digits):
    images = digits.train_images[:96]
    observer = recipes.image_observer("conv", 8, 3.0, 30.0, seed=1)
    kept = recipes.features_of(observer, images, chunk=10)
    codes = torch.randn(96, 5, generator=torch.Generator().manual_seed(0))
    from learnable_novelty.observer.standardize import Rows

    torch.testing.assert_close(observer.bits_of_rows(Rows(kept, codes)), observer(images, codes))


def test_the_score_of_both_kinds_is_the_mean_of_theirs(digits):
    chosen = dataclasses.replace(recipes.RECIPES["conv by both, resolution 300"], batch_size=64)
    _, both = recipes.train_recipe(chosen, digits.train_images, 0, 1)
    alone = [
        recipes.train_recipe(dataclasses.replace(chosen, objective=kind), digits.train_images, 0, 1)
        for kind in ("mlp", "conv")
    ]
    assert both.scores[0] == pytest.approx(np.mean([found.scores[0] for _, found in alone]))


def test_images_move_by_whole_pixels_and_zeros_come_in():
    images = torch.arange(1.0, 37.0).view(1, 6, 6).repeat(400, 1, 1)
    moved = recipes.move(images, 2, torch.Generator().manual_seed(0)).numpy()
    padded = np.pad(images[0].numpy(), 2)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (6, 6)).reshape(25, 6, 6)
    counts = [sum(np.array_equal(one, window) for one in moved) for window in windows]
    assert sum(counts) == 400  # each is one of the 25 shifts
    assert min(counts) > 0
    assert recipes.move(images, 0, torch.Generator()) is images


def test_what_a_code_says_of_the_place_does_not_count():
    """The mean of an image stays when it moves; where its weight lies does not."""
    draw, images = torch.Generator().manual_seed(0), torch.zeros(400, 12, 12)
    images[:, 4:8, 4:8] = torch.rand(400, 4, 4, generator=draw)
    moved = recipes.move(images, 2, draw)
    line = torch.arange(12.0)
    mass = moved.sum((1, 2))
    places = [(moved.sum(axis) @ line) / mass for axis in (1, 2)]
    observer = recipes.image_observer("mlp", 12, 400 * recipes.PER_SAMPLE, 30.0, seed=0)
    stays, goes = (
        encoder_select.above_floor(observer, images.flatten(1), codes[:, None], 8, 0)[2]
        for codes in (mass, places[0])
    )
    assert stays > 2 * goes


def test_excess_of_noise_is_near_zero_and_of_structure_is_not():
    draw = torch.Generator().manual_seed(0)
    inputs = torch.randn(400, 6, generator=draw)
    observer = Observer(reservoirs.MLP(6, 64, 2), ridge_penalty=9.0, resolution=30.0)
    structure = torch.tanh(inputs @ torch.randn(6, 4, generator=draw))
    noise = torch.randn(400, 4, generator=draw)
    bits, floor, explained = encoder_select.above_floor(observer, inputs, structure, 16, 0)
    assert bits - floor > 1
    assert explained > 0.5
    bits, floor, explained = encoder_select.above_floor(observer, inputs, noise, 16, 0)
    assert abs(bits - floor) < 0.3 * bits
    assert explained < 0.5


def test_effective_rank_counts_equal_directions():
    codes = torch.zeros(3000, 6)
    codes[:, :3] = torch.randn(3000, 3, generator=torch.Generator().manual_seed(0))
    assert encoder_select.effective_rank(codes) == pytest.approx(3, rel=0.02)


def test_jury_sees_no_label(monkeypatch):
    config = dataclasses.replace(encoder_select.QUICK, recipes=("paper",), steps=3, budgets=(4,))

    def without_labels(name, data):
        held = load_images(name, data)
        return Images(held.name, held.train_images, None, None, None)  # type: ignore[arg-type]

    seen = encoder_select.run(config, seed=0, context=RunContext()).results["candidates"]
    monkeypatch.setattr(encoder_select, "images_of", without_labels)
    assert encoder_select.run(config, seed=0, context=RunContext()).results["candidates"] == seen


def test_codes_of_the_table_do_not_depend_on_labels(digits):
    config = encoder_controls.QUICK
    shuffled = dataclasses.replace(
        digits, train_labels=digits.train_labels.flip(0), test_labels=digits.test_labels.flip(0)
    )
    for method, number in (("paper", 0), ("mlp by conv", 1)):
        first = encoder_controls.make_codes(config, digits, method, number, "cpu")
        second = encoder_controls.make_codes(config, shuffled, method, number, "cpu")
        assert all(torch.equal(a, b) for a, b in zip(first, second, strict=True))


@pytest.mark.parametrize("name", ["encoder-select", "encoder-controls"])
def test_quick_run_is_saved_and_drawn(name, tmp_path):
    images_of.cache_clear()
    overrides = {"seeds": 1, "selected_steps": (4,)}
    if name == "encoder-select":
        overrides = {"steps": 4, "budgets": (8,)}
    record, _ = run_experiment(name, "quick", root=tmp_path, overrides=overrides)
    assert save_figure(record, tmp_path).exists()
    assert all(len(row) == len(t.columns) for t in tables_of(record) for row in t.rows)


def test_unknown_recipe_is_refused():
    with pytest.raises(ValueError, match="recipes must be among"):
        dataclasses.replace(encoder_select.QUICK, recipes=("magic",))


@pytest.mark.parametrize("runs", [2, 5, 10, 17, 40])
def test_interval_is_students(runs):
    from scipy.stats import t

    found = {"mean": 0.5, "sd": 0.1, "runs": runs}
    assert half_interval(found) == pytest.approx(t.ppf(0.975, runs - 1) * 0.1 / runs**0.5, rel=1e-9)
    assert half_interval({**found, "runs": 1}) == 0


def test_table_holds_what_the_jury_chose():
    for seed in range(3):
        found = records.load(RESULTS / "encoder-select" / f"paper-seed{seed}").results
        assert tuple(found["chosen"]) == encoder_controls.PAPER.selected
        assert tuple(found["chosen_steps"]) == encoder_controls.PAPER.selected_steps


def test_ranks_of_a_jury_by_hand():
    found = {
        "short": {"excess": [1.0, 5.0]},
        "long": {"excess": [2.0, 4.0]},
        "none": {"excess": [0.0, 0.0]},
    }
    mean_rank = encoder_select.rank(found)
    assert mean_rank == {"short": 1.5, "long": 1.5, "none": 3.0}
    assert found["short"]["ranks"] == [2, 1]
    assert encoder_select.best_of(mean_rank) == ["short", "long"]


def test_longer_trainings_are_judged_beside_the_first():
    config = dataclasses.replace(
        encoder_select.QUICK, recipes=("paper",), steps=2, budgets=(4, 30), judged=64
    )
    found = encoder_select.run(config, seed=0, context=RunContext()).results
    lengths = found["lengths"]["paper"]["candidates"]
    assert list(lengths) == ["2", "4", "30"]
    assert lengths["2"]["excess"] == found["candidates"]["paper"]["excess"]
    assert found["chosen_steps"] == [30]
