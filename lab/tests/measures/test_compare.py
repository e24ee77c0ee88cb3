"""The same data by every measure."""

import json
import math

import numpy as np
import pytest

from learnable_novelty.measure.score import score
from novelty_lab.measures.compare import compare
from novelty_lab.measures.predictive import predictive_information
from novelty_lab.measures.prequential import prequential_code
from novelty_lab.measures.series import gzip_rate, permutation_entropy


@pytest.fixture(scope="module")
def series():
    return np.cumsum(np.random.default_rng(0).standard_normal((150, 2)), axis=0)


@pytest.fixture(scope="module")
def found(series):
    return compare(series, window=3, history=2, draws=2, null=9, seed=4)


def test_every_rival_sees_what_it_would_see_alone(series, found):
    alone = score(series, window=3, history=2, draws=2, null=9, seed=4)
    assert found["bits"].value == alone.bits
    assert found["excess"].value == alone.excess_bits
    assert found["p_value"].value == alone.p_value
    for key, rival in (
        ("gzip", gzip_rate),
        ("permutation_entropy", permutation_entropy),
    ):
        assert found[key].value == rival(series)
    inputs = np.hstack([series[:146], series[1:147]])
    targets = np.hstack([series[lead : lead + 146] for lead in (2, 3, 4)])
    linear = predictive_information(inputs, targets)
    assert found["predictive_information"].value == pytest.approx(linear, rel=1e-9)
    total = prequential_code(inputs, targets, seed=4).total_bits
    assert found["prequential_total"].value == pytest.approx(total, rel=0.02)


def test_infinite_and_missing_values_are_kept_in_json():
    sine = np.sin(0.3 * np.arange(80))
    found = compare(np.stack([sine, np.cos(0.3 * np.arange(80))], 1), window=2, draws=1, null=0)
    assert found["predictive_information"].value == math.inf
    held = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    values = {row["key"]: row["value"] for row in held["readings"]}
    assert values["predictive_information"] == "inf"
    assert values["p_value"] is None
    assert len(values) == len(found.readings)
