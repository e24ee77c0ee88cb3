import numpy as np
import pytest

from learnable_novelty.data.table import Column, Table, encode
from learnable_novelty.errors import UserError


def test_rows_with_gaps_are_left_out_of_what_is_encoded():
    price = Column("price", "number", np.array([1.0, np.nan, 3.0, 4.0]))
    color = Column("color", "category", np.array([1, 0, -1, 0]), ("blue", "red"))
    encoded = encode([price, color])
    assert encoded.rows.tolist() == [0, 3]
    assert encoded.matrix.tolist() == [[1.0, 0.0, 1.0], [4.0, 1.0, 0.0]]
    assert encoded.places == {"price": slice(0, 1), "color": slice(1, 3)}
    assert (price.missing, color.missing) == (1, 1)


def test_a_wrong_column_is_named():
    day = Column("day", "date", np.array(["2020-01-01", "NaT"], dtype="datetime64[D]"))
    with pytest.raises(UserError, match="day holds no numbers"):
        encode([day])
    assert day.missing == 1
    with pytest.raises(UserError, match=r"expected a column of the table \(day\), got 'night'"):
        Table((day,))["night"]


def test_many_levels_are_inputs_as_the_common_ones_and_their_frequency():
    codes = np.array([0] * 6 + [1] * 3 + list(range(2, 40)) * 2)
    city = Column("city", "category", codes, tuple(f"c{k:02d}" for k in range(40)))
    assert not city.is_target and encode([city]).matrix.shape[1] == 40
    matrix = encode([city], is_input=True).matrix
    assert matrix.shape == (len(codes), 31)
    np.testing.assert_allclose(np.exp(matrix[:, -1]), np.bincount(codes)[codes])
    assert matrix[:, 0].tolist() == (codes == 0).tolist()


def test_a_date_is_its_age_and_the_cycles_that_it_runs_through():
    days = np.arange("2020-01-01", "2022-01-01", 1, dtype="datetime64[D]").astype("datetime64[ns]")
    matrix = encode([Column("day", "date", days)], is_input=True).matrix
    assert matrix.shape == (731, 5)  # no time of day
    assert matrix[:, 0].tolist() == list(range(731))
    np.testing.assert_allclose(matrix[0, 1:], [0, 1, 0, 1], atol=1e-12)
    np.testing.assert_allclose(matrix[7, 3:], matrix[0, 3:], atol=1e-12)
    months = days.astype("datetime64[M]")[::31].astype("datetime64[ns]")
    assert encode([Column("m", "date", months)], is_input=True).matrix.shape[1] == 3  # no week
