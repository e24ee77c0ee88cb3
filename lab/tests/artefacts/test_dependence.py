"""The test of independence beside others: its data, its estimates of power and level."""

import numpy as np
import pytest

from learnable_novelty.errors import MissingExtraError
from novelty_lab.report import save_figure, tables_of
from novelty_lab.runner import run_experiment
from novelty_lab.studies.dependence import experiment
from novelty_lab.studies.dependence.processes import (
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
    assert experiment.beyond([[95.0, p] for p in permuted]) == 1.0
    assert experiment.beyond([[94.0, p] for p in permuted]) == 0.0


def test_a_share_counts_p_values_up_to_the_level():
    found = experiment.share([0.01, 0.05, 0.06, 0.9])
    assert found == {"rate": 0.5, "se": pytest.approx(0.25), "repeats": 4}


def test_without_hyppo_the_experiment_says_what_it_needs(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "hyppo.tools", None)
    with pytest.raises(MissingExtraError, match=r"needs the \[independence\] extra"):
        simulation_names()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of hyppo's own imports
def test_quick_run_is_drawn(tmp_path):
    small = {"repeats": 2, "rivals": ("Dcorr",)}
    record, fresh = run_experiment("dependence", "quick", root=tmp_path, overrides=small)
    assert fresh and save_figure(record, tmp_path).read_bytes().startswith(b"\x89PNG")
    assert tables_of(record)[0].rows[0][0] == "circle"
