"""The order of a series in time, its spacing, and cyclic parts of dates."""

import numpy as np
import pandas as pd
import pytest

from learnable_novelty.data.reading import read_table
from learnable_novelty.errors import UserError


def ordered(times, **options):
    return read_table({"t": times, "x": np.linspace(0, 1, len(times))}, time="t", **options)


@pytest.mark.parametrize(
    ("times", "told"),
    [
        (pd.date_range("2020-01-31", periods=5, freq="ME"), "steps of 1 month"),
        (pd.date_range("2020-01-01", periods=5, freq="MS"), "steps of 1 month"),
        (pd.date_range("2020-01-01", periods=5, freq="QS"), "steps of 3 months"),
        (pd.date_range("1980-01-01", periods=5, freq="YS"), "steps of 1 year"),
        (pd.date_range("2020-01-01", periods=5, freq="15min"), "steps of 15 minutes"),
        (pd.date_range("2020-01-01", periods=5, freq="7D"), "steps of 7 days"),
        ([1949.0, 1949.083, 1949.167, 1949.25], "steps of 0.083"),
        ([1, 2, 3, 4], "steps of 1"),
    ],
)
def test_equal_steps(times, told):
    table = ordered(times)
    assert any(told in note and "already in the order of t" in note for note in table.notes)
    assert [c.name for c in table.measured] == ["x"]


@pytest.mark.parametrize(
    ("times", "told"),
    [
        (["2020-01-01", "2020-01-02", "2020-01-04", "2020-01-05"], "got 1 day to 2 days"),
        (["2020-01-01", "2020-02-15", "2020-03-01", "2020-04-01"], "expected equal steps"),
        ([1.0, 2.0, 2.0, 3.0], "one row for each time, got two at 2 in"),
        ([1.0, 2.0, None, 3.0], "a time in every row, got 1 gaps"),
        (["u", "v", "u", "v"], "dates or numbers in the time column 't', got category"),
    ],
)
def test_unequal_steps_are_refused(times, told):
    with pytest.raises(UserError, match=told):
        ordered(times)


def test_cyclic_parts():
    days = pd.date_range("2020-01-01", periods=800, freq="6h")
    table = read_table(
        {"t": days, "x": np.arange(800.0)[::-1]}, cyclic=["month", "weekday", "hour"]
    )
    made = {c.name: c.values for c in table.columns[2:]}
    for part, size, values in (
        ("month", 12, days.month - 1),
        ("weekday", 7, days.day_of_week),
        ("hour", 24, days.hour),
    ):
        angle = np.arctan2(made[f"t {part} sin"], made[f"t {part} cos"])
        found = np.round(angle / (2 * np.pi) * size).astype(int) % size
        np.testing.assert_array_equal(found, values)
    with pytest.raises(UserError, match="cyclic parts among month, weekday, hour, got 'year'"):
        read_table({"t": days}, cyclic=["year"])
    with pytest.raises(UserError, match="expected dates in the table that vary by hour"):
        read_table({"t": days[::4], "x": np.arange(200.0)}, cyclic=["hour"])
