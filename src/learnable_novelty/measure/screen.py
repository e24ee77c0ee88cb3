"""Which columns of a wide table are worth a test: a quick look at each, in closed form.

Every column is predicted from all others by one ridge on values and squares. With the features X of
all columns, K = X X', and A = K + mu I, mu the mean of the diagonal of K, the columns X_g of
target g leave by Woodbury's identity

    A_g^-1 = A^-1 + B (I - X_g'B)^-1 B',   B = A^-1 X_g,

and the leave-one-out errors of y are  e_i = (A_g^-1 y)_i / (A_g^-1)_ii.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_factor, cho_solve

MOST_ROWS = 1_000
"""Rows that are looked at."""


def unexplained_shares(values: np.ndarray, places: dict[str, slice]) -> dict[str, float]:
    """Return the share of each column that the others leave in rows that were left out.

    Args:
        values: (num_rows, num_values), without gaps.
        places: where the values of a column are; a category has one for each level.
    """
    x = _standardized(values[:MOST_ROWS])
    squares = _standardized(x * x)
    gram = x @ x.T + squares @ squares.T
    ridge = gram + np.eye(len(x)) * np.trace(gram) / len(x)
    inverse = cho_solve(cho_factor(ridge), np.eye(len(x)))
    diagonal = inverse.diagonal()[:, None]
    shares = {}
    for name, place in places.items():
        y = x[:, place]
        power = np.square(y).sum()
        own = np.concatenate([y, squares[:, place]], axis=1)
        if not power > 0:
            shares[name] = 1.0
            continue
        b = inverse @ own
        inner = np.linalg.inv(np.eye(own.shape[1]) - own.T @ b)
        away = (inverse @ y + b @ (inner @ (b.T @ y))) / (
            diagonal + np.einsum("ni,ij,nj->n", b, inner, b)[:, None]
        )
        shares[name] = float(np.square(away).sum() / power)
    return shares


def _standardized(values: np.ndarray) -> np.ndarray:
    """Centre columns and divide them by their deviation, constant ones by one."""
    centred = values - values.mean(0)
    scale = centred.std(0)
    return centred / np.where(scale > 0, scale, 1.0)
