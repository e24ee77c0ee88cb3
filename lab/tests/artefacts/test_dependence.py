"""The test of independence beside others: its data, its estimate of power, and its picture."""

import numpy as np
import pytest

from learnable_novelty.errors import MissingExtraError
from novelty_lab.report import save_figure, tables_of
from novelty_lab.runner import run_experiment
from novelty_lab.studies.dependence.experiment import _beyond
from novelty_lab.studies.dependence.processes import (
    CONFOUNDED,
    CONNECTED,
    dimensions,
    simulation_names,
)


def test_dimensions_are_those_of_the_published_curves():
    assert dimensions("joint_normal") == list(range(1, 11))
    assert dimensions("circle") == list(range(1, 21))
    assert dimensions("square") == [1, *range(2, 41, 2)]
    assert dimensions("linear") == [1, *range(50, 1001, 50)]


def test_power_is_the_share_beyond_the_quantile_of_permuted_data():
    permuted = np.arange(100.0)
    assert _beyond([[95.0, p] for p in permuted]) == 1.0
    assert _beyond([[94.0, p] for p in permuted]) == 0.0


def test_what_is_left_beside_z_is_correlated_only_where_x_and_y_are_connected():
    for name in ("linear", "scale"):
        x, y, z = CONFOUNDED[name](20_000, np.random.default_rng(0))
        slope = [np.polyval(np.polyfit(z[:, 0], v[:, 0], 1), z[:, 0]) for v in (x, y)]
        left = (x[:, 0] - slope[0], y[:, 0] - slope[1])
        assert abs(np.corrcoef(*left)[0, 1]) < 0.03
    x, y, z = CONNECTED["linear"](20_000, np.random.default_rng(0))
    assert np.corrcoef(x[:, 0] - z[:, 0], y[:, 0] - z[:, 0])[0, 1] > 0.2


def test_without_hyppo_the_experiment_says_what_it_needs(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "hyppo.tools", None)
    with pytest.raises(MissingExtraError, match=r"needs the \[independence\] extra"):
        simulation_names()


def test_quick_run_is_drawn(tmp_path):
    pytest.importorskip("hyppo")
    small = {"repeats": 2, "rivals": ()}
    record, fresh = run_experiment("dependence", "quick", root=tmp_path, overrides=small)
    assert fresh and save_figure(record, tmp_path).read_bytes().startswith(b"\x89PNG")
    assert tables_of(record)[0].rows[0][0] == "circle"
