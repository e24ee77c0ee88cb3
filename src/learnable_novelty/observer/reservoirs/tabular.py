"""Features of a table: its columns, and the nearness to some of its rows."""

from __future__ import annotations

import torch
from torch import Tensor

from learnable_novelty.errors import UserError
from learnable_novelty.observer.checks import check_sizes
from learnable_novelty.observer.reservoirs.base import Reservoir, check_shape
from learnable_novelty.seeds import Seed

FAR, NEAR = 5.0, 3.0
"""Deviations beyond which a value counts as that far: as a feature, and in distances."""
PIECES = 16
"""Between so many quantiles of a column its ranks are interpolated."""
UNIFORM = 12**0.5
"""What a rank, from 0 to 1, is multiplied by to have a deviation of one."""
TWO_VALUES = 1.5
"""How far apart the two values of a column of zeros and ones are."""
NEGLIGIBLE = 1e-8
"""Eigenvalue of the products of landmarks, relative to the largest, that is left out."""
MOST_ROWS = 10_000


class Tabular(Reservoir):
    """Features that are fitted to the rows of a table, and to no target.

    Half of their power are the columns themselves, in deviations and at most five. The other half
    is how near a row z is to landmarks z_k, rows of the table, in units of the median distance s
    between them:

        k(z)' K^(-1/2),     k_i(z) = exp(-|z - z_i|_1 / s),     K_ij = k_i(z_j).

    Their products are the Nyström approximation of that kernel, so a ridge on all of them is kernel
    regression with the sum of a linear and a Laplacian kernel. In z a number is the mean of its
    deviation and its normalized rank. An observer takes them in their own scale.

    Args:
        rows: (num_rows, columns); of more than ten thousand a random part is looked at.
        landmarks: how many rows are landmarks at most.
        seed: of the landmarks; an integer, or a generator that one is drawn from.

    >>> Tabular(torch.randn(50, 3), landmarks=8)(torch.zeros(5, 3)).shape
    torch.Size([5, 11])
    """

    has_own_scale = True

    def __init__(
        self,
        rows: Tensor,
        *,
        landmarks: int = 512,
        seed: Seed = 0,
    ) -> None:
        super().__init__(seed)
        check_sizes(landmarks=landmarks)
        if rows.ndim != 2 or not len(rows):
            raise UserError(f"expected rows (num_rows, columns), got {tuple(rows.shape)}")
        self.input_dim, self.landmarks = rows.shape[1], landmarks
        generator = torch.Generator().manual_seed(0)
        some = torch.randperm(len(rows), generator=generator)[:MOST_ROWS].sort().values
        self._rows = rows.detach().cpu().double()[some]
        for name, value in _columns(self._rows).items():
            self.register_buffer(name, value)
        self.redraw(self.seed)

    def redraw(self, seed: Seed) -> Tabular:
        super().redraw(seed)
        self.feature_dim = self.input_dim + self.get_buffer("turn").shape[1]
        return self

    def draw(self, generator: torch.Generator) -> dict[str, Tensor]:
        order = torch.randperm(len(self._rows), generator=generator)
        straight, places = _places(self._rows[order], dict(self.named_buffers()))
        chosen = places[: self.landmarks]
        apart = torch.cdist(chosen, chosen, p=1)
        known = apart[apart > 0]
        distance = known.median() if len(known) else apart.new_ones(())
        values, vectors = torch.linalg.eigh((-apart / distance).exp())
        kept = values > NEGLIGIBLE * values[-1]
        turn = vectors[:, kept] / values[kept].sqrt()
        near = (-torch.cdist(places, chosen, p=1) / distance).exp() @ turn
        return {
            "landmark": chosen,
            "straight": _unit_power(straight),
            "distance": distance,
            "turn": turn * _unit_power(near),
        }

    def forward(self, inputs: Tensor) -> Tensor:
        check_shape(inputs, ("num_samples", "input_dim"), 1, self.input_dim)
        weights = self.weights_like(inputs)
        straight, places = _places(inputs, weights)
        apart = torch.cdist(places, weights["landmark"], p=1)
        near = (-apart / weights["distance"]).exp() @ weights["turn"]
        return torch.cat([straight * weights["straight"], near], 1)

    def extra_repr(self) -> str:
        return f"{self.input_dim}, landmarks={self.landmarks}, seed={self.seed!r}"


def _unit_power(features: Tensor) -> Tensor:
    """Return what makes the variances of features add up to one."""
    power = features.var(0, correction=0).sum()
    return torch.where(power > 0, power, 1.0).rsqrt()


def _columns(rows: Tensor) -> dict[str, Tensor]:
    """Fit to every column its mean, its deviation, and its ranks.

    Ranks rise along ``pieces``, from one quantile of the ``column`` to the next, each by ``rise``;
    of a column with two values the only piece is all of its place.
    """
    deviation = rows.std(0, correction=0)
    ordered = rows.T.sort(dim=1).values.contiguous()
    knots = ordered[:, torch.linspace(0, len(rows) - 1, PIECES + 1).round().long()].contiguous()
    below, upto = (torch.searchsorted(ordered, knots, side=side) for side in ("left", "right"))
    ranks = (below + upto).double() / (2 * len(rows))
    widths = knots.diff(dim=1)
    column, place = (widths > 0).nonzero(as_tuple=True)
    has_more = ((rows > ordered[:, 0]) & (rows < ordered[:, -1])).any(0)
    rise = UNIFORM / 2 * ranks.diff(dim=1)[column, place]
    return {
        "mean": rows.mean(0),
        "deviation": torch.where(deviation > 0, deviation, 1.0),
        "slope": has_more.double() / 2,
        "column": column.double(),
        "low": knots[column, place],
        "width": widths[column, place],
        "rise": torch.where(has_more[column], rise, TWO_VALUES),
    }


def _places(rows: Tensor, weights: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
    """Return columns in deviations, and z; both (num_samples, columns)."""
    straight = (rows - weights["mean"]) / weights["deviation"]
    column = weights["column"].long()
    along = ((rows[:, column] - weights["low"]) / weights["width"]).clamp(0, 1)
    near = straight.clamp(-NEAR, NEAR) * weights["slope"]
    return straight.clamp(-FAR, FAR), near.index_add(1, column, along * weights["rise"])
