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
