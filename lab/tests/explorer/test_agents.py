"""Learning curves with their intervals, and the maze with a television."""

import numpy as np
import pytest

from lab.tests.explorer.page import RESULTS, content
from novelty_lab import records


def runs_of(task, condition):
    found = [records.load(path) for path in records.find(RESULTS, "rl-table")]
    runs = [r for r in found if r.config == f"{task}-{condition}"]
    return sorted(runs, key=lambda record: record.seed)


def resampled_mean(curves, draws=4000):
    """Resample the seeds themselves, run by run: another way to the same interval."""
    generator = np.random.default_rng(1)
    picks = generator.integers(0, len(curves), (draws, len(curves)))
    return np.quantile(curves[picks].mean(1), [0.025, 0.975], axis=0)


@pytest.mark.parametrize(
    ("task", "condition"), [("Acrobot", "task"), ("MountainCarContinuous", "task+epiplexity")]
)
def test_bands_are_those_of_the_records(site, task, condition):
    runs = runs_of(task, condition)
    held = content(site, "agents")["tasks"][task]["ours"][condition]
    curves = np.array([run.results["curve"] for run in runs])
    np.testing.assert_array_equal(held["steps"], curves[0, :, 0])
    np.testing.assert_allclose(held["mean"], curves[..., 1].mean(0), rtol=1e-4)
    band, spread = np.array(held["band"]), np.ptp(curves[..., 1], axis=0).max()
    np.testing.assert_allclose(band, resampled_mean(curves[..., 1]), atol=0.03 * spread)
    assert (band[0] <= np.array(held["mean"]) * (1 + 1e-4 * np.sign(held["mean"]))).all()
    assert held["returns"] == pytest.approx([run.results["return"] for run in runs], rel=1e-4)
