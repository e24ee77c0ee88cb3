"""Thirty real relations: what is measured of them, and what the record says."""

import json
from pathlib import Path

import numpy as np
import pytest

from novelty_lab.studies.rivals import relations as experiment
from novelty_lab.studies.rivals import rivals
from novelty_lab.studies.rivals.data import RELATIONS, SCIKIT_LEARN, load

RECORD = Path(__file__).parents[3] / "results" / "relations" / "paper-seed0" / "record.json"


def test_the_first_relations_come_without_another_package():
    assert all(one.package == SCIKIT_LEARN for one in RELATIONS[: experiment.QUICK.relations])
    x, y = load(RELATIONS[0], 100, 0)
    assert len(x) == len(y) == 100
    assert np.isfinite([x, y]).all()


def test_the_forest_is_judged_on_rows_it_has_not_seen():
    random = np.random.default_rng(0)
    x, noise = random.standard_normal((2, 300))
    assert rivals.forest(x, noise) < 0.1
    assert rivals.forest(x, x**2 + 0.1 * noise) > 0.8
    assert rivals.mutual_information(x, x**2) > 10 * rivals.mutual_information(x, noise)


def test_a_missing_package_leaves_a_gap():
    def missing(x, y):
        raise ModuleNotFoundError("no_such_package")

    assert rivals.timed(missing, (np.zeros(3), np.zeros(3))) == {"value": None, "seconds": None}


def test_the_record_holds_thirty_relations_in_the_forests_order():
    results = json.loads(RECORD.read_text())["results"]
    assert [row["relation"] for row in results["rows"]] == [one.name for one in RELATIONS]
    assert len(RELATIONS) == 30
    again = experiment.orders(results["rows"])
    assert again["held-out variance"]["spearman"] == pytest.approx(
        results["orders"]["held-out variance"]["spearman"]
    )
    assert set(results["orders"]) == {*experiment.OURS, *rivals.RIVALS}
