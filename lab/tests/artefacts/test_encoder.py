"""Figure 4 and appendix G: the encoder experiments."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import torch

pytest.importorskip("sklearn", reason="the quick configurations read scikit-learn's digits")

from novelty_lab.context import RunContext
from novelty_lab.paper.fig4_encoder import encoding
from novelty_lab.paper.fig4_encoder import experiment as encoder
from novelty_lab.paper.fig4_encoder import scan as encoder_scan
from novelty_lab.runner import run_experiment
from novelty_lab.systems.images import load_images

SMALL = {
    "widths": (8,),
    "code_dim": 4,
    "reservoir_width": 16,
    "reservoir_depth": 2,
    "batch_size": 32,
    "steps": 4,
    "probe_train": 60,
    "probe_test": 50,
}
TINY = dataclasses.replace(
    encoder.QUICK,
    **SMALL,
    training_seeds=2,
    checkpoint_every=2,
    small_probe_train=40,
    projected=20,
    perplexity=5.0,
)
TINY_SCAN = dataclasses.replace(encoder_scan.QUICK, **SMALL)


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    root = tmp_path_factory.mktemp("results")
    return run_experiment("encoder", "quick", root=root)[0], root


@pytest.fixture(scope="module")
def scanned(tmp_path_factory):
    root = tmp_path_factory.mktemp("results")
    overrides = {"axes": ("ridge_penalty",)}
    return run_experiment("encoder-scan", "quick", root=root, overrides=overrides)[0], root


def test_the_score_rises_and_both_probes_with_it(found):
    results = found[0].results
    for name in ("bits", "linear", "neighbours"):
        assert results[name]["mean"][-1] > results[name]["mean"][0]
    scores = found[0].arrays["scores"]
    assert (scores[:, -10:].mean(1) > 4 * scores[:, 0]).all()


def test_the_scan_varies_one_setting_and_holds_the_reference(scanned):
    cells = scanned[0].results["cells"].values()
    assert [cell["value"] for cell in cells] == list(encoder_scan.AXES["ridge_penalty"])
    held = [cell for cell in cells if cell["is_reference"]]
    assert [cell["value"] for cell in held] == [3.0]
    assert held[0]["linear"] == scanned[0].results["reference"]["linear"]
    bits = [cell["bits"] for cell in cells]
    assert bits == sorted(bits, reverse=True), "a looser readout is a longer one"


def test_labels_change_no_weight(monkeypatch):
    states, probes = [], []
    images = load_images("digits")
    order = torch.randperm(1300, generator=torch.Generator().manual_seed(0))
    shuffled = dataclasses.replace(images, train_labels=images.train_labels[order])

    def spy(*arguments):
        found = encoding.train(*arguments)
        states.append(found[2].snapshots)
        return found

    monkeypatch.setattr(encoder, "train", spy)
    for given in (images, shuffled):
        monkeypatch.setattr(encoder, "images_of", lambda dataset, data, given=given: given)
        probes.append(encoder.train_and_probe(TINY, 0, 0, None, "cpu"))
    first, second = states
    assert list(first) == list(second) == [0, 2, 4]
    for step in first:
        for name, weight in first[step].items():
            assert torch.equal(weight, second[step][name])
    assert not torch.equal(first[0]["layers.0.weight"], first[4]["layers.0.weight"])
    assert probes[0]["measures"]["linear"] != probes[1]["measures"]["linear"]
    assert probes[0]["scores"] == probes[1]["scores"]


CHANGES = [
    {"widths": (8, 8)},
    {"code_dim": 5},
    {"activation": "elu"},
    {"normalize": False},
    {"reservoir_width": 24},
    {"reservoir_depth": 3},
    {"ridge_penalty": 1.0},
    {"resolution": 3.0},
    {"batch_size": 48},
    {"steps": 6},
    {"learning_rate": 0.1},
    {"probe_train": 80},
    {"probe_test": 60},
]
OWN = [
    {"training_seeds": 1},
    {"checkpoint_every": 4},
    {"small_probe_train": 50},
    {"projected": 25},
    {"perplexity": 6.0},
]
by_name = {"ids": lambda change: next(iter(change))}


@pytest.fixture(scope="module")
def base():
    return encoder.run(TINY, seed=0, context=RunContext())


def test_every_field_is_changed_below():
    changed = {name for change in CHANGES + OWN for name in change}
    assert changed | {"dataset"} == {field.name for field in dataclasses.fields(encoder.Config)}
    scan = {field.name for field in dataclasses.fields(encoder_scan.Config)}
    assert {name for change in CHANGES for name in change} | {"dataset", "axes"} == scan


@pytest.mark.parametrize("change", OWN, **by_name)
def test_every_own_field_changes_the_outcome(change, base):
    other = encoder.run(dataclasses.replace(TINY, **change), seed=0, context=RunContext())
    same = other.results == base.results
    assert not (same and all(np.array_equal(base.arrays[k], v) for k, v in other.arrays.items()))


@pytest.mark.parametrize("change", CHANGES, **by_name)
def test_every_shared_field_changes_what_is_trained_or_probed(change):
    first = encoder_scan.train_variant(TINY_SCAN, 0, None, "cpu")
    second = encoder_scan.train_variant(dataclasses.replace(TINY_SCAN, **change), 0, None, "cpu")
    assert first != second
