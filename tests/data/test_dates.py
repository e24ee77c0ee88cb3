"""The order of a series in time, and its spacing."""

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
