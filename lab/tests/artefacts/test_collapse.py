"""Terms against collapse: rivals by their papers' formulas, views of images, a run."""

import dataclasses
import math

import numpy as np
import pytest
import torch
from scipy.integrate import trapezoid

from novelty_lab.runner import run_experiment
from novelty_lab.studies.collapse import worldmodel
from novelty_lab.studies.collapse.images import augment, recoloured
from novelty_lab.studies.collapse.terms import sigreg, vicreg


def test_sigreg_is_the_statistic_of_epps_and_pulley_along_every_direction():
    codes = torch.randn(40, 1, dtype=torch.float64)  # one column: every direction is +1 or -1
    t = np.linspace(-5, 5, 17)
    ecf = np.exp(1j * codes.numpy() * t).mean(0)
    error = np.abs(ecf - np.exp(-(t**2) / 2)) ** 2 * np.exp(-(t**2) / 2)
    assert float(sigreg(codes)) == pytest.approx(40 * trapezoid(error, t), rel=1e-9)
    large = torch.randn(5000, 8)
    assert sigreg(large) < 0.02 * sigreg(3 * large)


def test_vicreg_wants_unit_variance_and_no_covariance():
    codes = np.random.default_rng(0).standard_normal((30, 3)) * [0.5, 2.0, 1.0]
    covariance = np.cov(codes.T)
    short = np.maximum(0, 1 - np.sqrt(np.diag(covariance) + 1e-4)).mean()
    crossed = (covariance - np.diag(np.diag(covariance))) ** 2
    expected = short + crossed.sum() / 3 / 25
    assert float(vicreg(torch.tensor(codes))) == pytest.approx(expected)


def test_views_show_a_part_of_the_image_and_a_turn_of_hue_keeps_its_mean():
    torch.manual_seed(0)
    ramp = torch.linspace(0, 1, 32).expand(64, 3, 32, 32)
    views = augment(ramp, 0.2) / 4 + 0.5
    assert views.shape == ramp.shape
    assert 0 <= float(views.min()) < float(views.max()) <= 1
    rows = views.mean((1, 2))
    rises = (rows.diff(dim=1) > -1e-6).all(1)
    falls = (rows.diff(dim=1) < 1e-6).all(1)
    assert bool((rises | falls).all())
    assert 10 < int(rises.sum()) < 54
    # Full change, no grey, and only the hue differs from its middle.
    u = torch.tensor([0.0, 0.5, 0.5, 0.5, 1.0, 0.9])[:, None]
    image = 0.4 + 0.2 * torch.rand(1, 3, 4, 4)
    turned = recoloured(image, u)
    assert not torch.allclose(turned, image, atol=1e-3)
    off, before = ((x - x.mean(1, keepdim=True)).norm(dim=1) for x in (turned, image))
    assert torch.allclose(off, before, atol=1e-6)
    cosine = torch.cosine_similarity(
        image - image.mean(1, keepdim=True), turned - turned.mean(1, keepdim=True), dim=1
    )
    assert torch.allclose(cosine, torch.full_like(cosine, math.cos(0.2 * math.pi)), atol=1e-5)


def test_the_wall_of_the_two_rooms_is_passed_in_the_door_only():
    torch.manual_seed(0)
    place, door = worldmodel.begin(500, "cpu")
    passed = 0
    for _ in range(60):
        old, place = place, worldmodel.moved(place, door, torch.randn(500, 2))
        through = (place[:, 0] < 0.5) != (old[:, 0] < 0.5)
        assert bool(((place[through, 1] - door[through]).abs() < worldmodel.DOOR).all())
        passed += int(through.sum())
    assert passed > 50
    assert 0.05 <= float(place.min()) < float(place.max()) <= 0.95


def test_a_model_that_knows_the_world_plans_to_most_goals(monkeypatch):
    class Known:
        def encode(self, frames):
            red = (frames[:, 0] - frames[:, 1]).clamp(min=0)
            grid = (torch.arange(64) + 0.5) / 64
            sums = torch.stack([red.sum(1) @ grid, red.sum(2) @ grid], 1)
            return sums / red.sum((1, 2))[:, None]

        def roll(self, code, actions):
            doors, codes = door.repeat_interleave(len(code) // len(door)), []
            for action in actions.unbind(1):
                code = worldmodel.moved(code, doors, action)
                codes.append(code)
            return torch.stack(codes, 1)

    torch.manual_seed(0)
    (place, door), (goal, other) = (worldmodel.begin(30, "cpu") for _ in range(2))
    drawn = iter([(place, door), (goal, other)])
    monkeypatch.setattr(worldmodel, "begin", lambda *_: next(drawn))
    config = dataclasses.replace(worldmodel.QUICK, starts=30, candidates=256)
    assert worldmodel.planned(Known(), config, "clean", "cpu")["success"] > 0.7  # pyright: ignore[reportArgumentType]


@pytest.mark.slow
def test_a_run_chooses_a_weight_for_every_term(tmp_path):
    record, _ = run_experiment(
        "collapse-images", "quick", root=tmp_path, overrides={"train": 128, "epochs": 1}
    )
    assert set(record.results["table"]) == {"none", "plain S", "honest S", "SIGReg", "VICReg"}
    tried = record.results["tried"]
    best = max(tried, key=lambda name: tried[name]["backbone"])
    assert best.removeprefix("choose ") in record.results["chosen"].values()
