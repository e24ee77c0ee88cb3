"""Every system offers the same: states, and what follows them."""

import numpy as np
import pytest
import torch

from novelty_lab import systems
from novelty_lab.systems.protocol import Family, System, families, make_system

NAMES = [f"{family.name}:{family.example}" for family in families().values()]


def draw(name, **options):
    if name.startswith("collection"):
        pytest.importorskip("dysts.flows")
    system = make_system(name)
    assert isinstance(system, System)
    return [np.asarray(torch.as_tensor(part).detach()) for part in system.sample(6, **options)]


def test_there_are_the_systems_of_the_paper():
    assert {"elementary", "life", "flows", "neural", "collection"} <= set(families())
    assert all(isinstance(family, Family) and family.title for family in families().values())


@pytest.mark.parametrize("name", NAMES)
def test_inputs_and_targets_have_a_row_per_sample_and_a_window(name):
    inputs, targets = draw(name, window=3, seed=1)
    assert len(inputs) == len(targets) == 6
    assert targets.shape[1] == 3 * inputs.shape[1] and targets.shape[2:] == inputs.shape[2:]
    assert np.isfinite(inputs).all() and np.isfinite(targets).all()


@pytest.mark.parametrize("name", NAMES)
def test_a_longer_window_goes_on_from_a_shorter_one(name):
    inputs, short = draw(name, window=2, seed=1)
    again, long = draw(name, window=4, seed=1)
    np.testing.assert_allclose(again, inputs, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(long[:, : short.shape[1]], short, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_the_seed_decides_what_is_drawn(name):
    one, same, other = (draw(name, window=1, seed=seed)[0] for seed in (1, 1, 2))
    assert np.array_equal(one, same) and not np.allclose(one, other)


@pytest.mark.parametrize("name", ["", "life", "moon:1", "elementary:", "elementary:256"])
def test_unknown_systems_are_rejected(name):
    with pytest.raises(ValueError, match=r"expected a system such as|rule number must be"):
        make_system(name)


@pytest.mark.parametrize("name", ["elementary:x", "life:x", "flows:x", "neural:x"])
def test_unknown_members_are_rejected(name):
    with pytest.raises(ValueError, match=r"must be|expected"):
        make_system(name)


def test_a_new_system_is_one_new_file(tmp_path, monkeypatch):
    (tmp_path / "walk.py").write_text(
        "import numpy as np\n"
        "from novelty_lab.systems.protocol import Family\n"
        "class Walk:\n"
        "    def sample(self, num_samples, *, window=1, seed=0):\n"
        "        steps = np.random.default_rng(seed).normal(size=(num_samples, window + 1))\n"
        "        return steps[:, :1], steps.cumsum(1)[:, 1:]\n"
        "FAMILY = Family('walk', 'random walks', lambda name: Walk(), example='plain')\n"
    )
    monkeypatch.setattr(systems, "__path__", [*systems.__path__, str(tmp_path)])
    families.cache_clear()
    try:
        assert make_system("walk:plain").sample(5, window=2)[1].shape == (5, 2)
    finally:
        monkeypatch.undo()
        families.cache_clear()
