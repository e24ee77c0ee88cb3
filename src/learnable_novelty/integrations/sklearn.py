"""The observer as a pair of scikit-learn estimators: a reservoir, and the readout on it.

In a ``Pipeline`` the two are ``learnable_novelty.score`` with one draw: on the same data and seed
they have the same bits, floor and spectrum. Needs the extra ``integrations``.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    MultiOutputMixin,
    RegressorMixin,
    TransformerMixin,
)
from sklearn.utils.validation import check_is_fitted, validate_data
from torch import Tensor

from learnable_novelty.data.memory import as_tensor
from learnable_novelty.errors import UserError
from learnable_novelty.measure.defaults import LINEAR_LAST, VECTOR_DEPTH, default_width
from learnable_novelty.measure.draw import FLOOR_REPEATS
from learnable_novelty.measure.prepare import column_scale, scaled, target_scale
from learnable_novelty.observer import reservoirs
from learnable_novelty.observer.checks import whole_number
from learnable_novelty.observer.evidence import RidgePenalty
from learnable_novelty.observer.fit import Fit
from learnable_novelty.observer.observer import Observer
from learnable_novelty.observer.summary import Rows
from learnable_novelty.rearrange import row_orders
from learnable_novelty.seeds import check_seed, split

FLOATS = [np.float64, np.float32]


class ReservoirFeatures(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Map rows to the features of a frozen random network, drawn when it is fitted.

    Args:
        width: number of features; "auto" is what ``score`` takes, 64 or a quarter of the samples.
        depth: number of layers.
        activation: "elu", "gelu", "tanh" or "relu".
        linear_last: leave the last layer without normalization and nonlinearity.
        standardize_inputs: take off the means of the columns that it was fitted to, and divide by
            their deviations.
        seed: of the draw; equal to the first draw of ``score`` with this seed.

    Attributes:
        reservoir_: the network, a ``reservoirs.MLP``.
        input_mean_: (n_features_in_,) what is taken off.
        input_sd_: (n_features_in_,) what is divided by.

    >>> ReservoirFeatures(width=8).fit_transform(np.zeros((5, 3))).shape
    (5, 8)
    """

    def __init__(
        self,
        *,
        width: int | Literal["auto"] = "auto",
        depth: int = VECTOR_DEPTH,
        activation: str = "elu",
        linear_last: bool = LINEAR_LAST,
        standardize_inputs: bool = True,
        seed: int = 0,
    ) -> None:
        self.width, self.depth, self.activation = width, depth, activation
        self.linear_last, self.standardize_inputs, self.seed = linear_last, standardize_inputs, seed

    def fit(self, X: Any, y: Any = None) -> ReservoirFeatures:
        """Draw the network, and learn the scale of the columns of X (num_samples, columns)."""
        array = validate_data(self, X, dtype=FLOATS, ensure_min_samples=2)
        inputs = as_tensor(array, "X")
        num_samples, columns = inputs.shape
        if isinstance(self.width, str):
            if self.width != "auto":
                raise UserError(f'width must be a positive integer or "auto", got {self.width!r}')
            width = default_width(num_samples)
        else:
            width = whole_number("width", self.width, 1)
        self.reservoir_ = reservoirs.MLP(
            columns,
            width,
            whole_number("depth", self.depth, 1),
            activation=self.activation,
            linear_last=self.linear_last,
            seed=split(check_seed(self.seed), "draw", 0),
        )
        if self.standardize_inputs:
            mean, scale = column_scale(inputs, 1)
        else:
            mean, scale = torch.zeros(columns).double(), torch.ones(columns).double()
        self.input_mean_, self.input_sd_ = mean.numpy(), scale.numpy()
        self._n_features_out = width
        return self

    @torch.no_grad()
    def transform(self, X: Any) -> NDArray[Any]:
        """Return the features of X, (num_samples, width), in its floating dtype."""
        check_is_fitted(self)
        array: Any = validate_data(self, X, dtype=FLOATS, reset=False)
        # A copy where the array is read-only: torch has no read-only tensors.
        inputs = torch.from_numpy(np.require(array, requirements=["C", "W"]))
        mean, scale = torch.from_numpy(self.input_mean_), torch.from_numpy(self.input_sd_)
        if self.standardize_inputs:
            inputs = scaled(inputs, 1, mean, scale)
        return self.reservoir_(inputs).numpy()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


class EpiplexityRegressor(MultiOutputMixin, RegressorMixin, BaseEstimator):
    """Fit the ridge readout of given features, and price it in bits.

    Args:
        ridge_penalty: lambda; "evidence", a positive number, or ``PerSample(value)``.
        resolution: eta.
        code_scale: alpha.
        target_unit: what a target is measured in, "sd", its own deviation, or a number.
        floor_repeats: how many rearrangements of the residuals the floor averages.
        seed: of these rearrangements; those of ``score`` with this seed.

    Attributes:
        bits_: the epiplexity S of the readout.
        floor_bits_: what noise of the size of the residuals scores.
        excess_bits_: bits_ - floor_bits_.
        spectrum_: singular values of the readout, descending.
        explained_variance_: share of the training targets' variance.
        ridge_penalty_: the penalty used.
        coef_: (num_targets, n_features_in_), or (n_features_in_,) for a vector of targets.
        intercept_: (num_targets,) or a number.

    >>> x = np.linspace(-3, 3, 200)[:, None]
    >>> readout = EpiplexityRegressor().fit(x, 2 * x[:, 0])
    >>> bool(readout.excess_bits_ > 0), round(readout.explained_variance_, 6)
    (True, 1.0)
    """

    def __init__(
        self,
        *,
        ridge_penalty: RidgePenalty = "evidence",
        resolution: float = 1.0,
        code_scale: float = 0.5,
        target_unit: float | Literal["sd"] = "sd",
        floor_repeats: int = FLOOR_REPEATS,
        seed: int = 0,
    ) -> None:
        self.ridge_penalty: RidgePenalty = ridge_penalty
        self.resolution = resolution
        self.code_scale, self.target_unit = code_scale, target_unit
        self.floor_repeats, self.seed = floor_repeats, seed

    @torch.no_grad()
    def fit(self, X: Any, y: Any) -> EpiplexityRegressor:
        """Fit the readout of y (num_samples,) or (num_samples, num_targets) on features X."""
        array, answers = validate_data(
            self, X, y, dtype=FLOATS, multi_output=True, y_numeric=True, ensure_min_samples=2
        )
        features, targets = as_tensor(array, "X"), as_tensor(answers, "y")
        observer = Observer(
            reservoirs.Identity(features.shape[1]),
            ridge_penalty=self.ridge_penalty,
            resolution=self.resolution,
            code_scale=self.code_scale,
        )
        repeats = whole_number("floor_repeats", self.floor_repeats, 1)
        seed = check_seed(self.seed)
        unit = target_scale(targets, 1, self.target_unit)
        rows = Rows(features, scaled(targets, 1, 0.0, unit))
        fit = observer.fit(rows)
        orders = row_orders("rows", len(targets), (1,), repeats, split(seed, "floor"))
        floor, _ = fit.rearranged(fit.noise(), orders, same_penalty=True)
        self.bits_ = fit.bits()
        self.floor_bits_ = float(floor.mean())
        self.excess_bits_ = self.bits_ - self.floor_bits_
        self.spectrum_ = fit.spectrum().numpy()
        self.explained_variance_ = fit.explained_variance()
        self.ridge_penalty_ = fit.penalty
        self._line_of(fit, rows, unit, vector=np.ndim(answers) == 1)
        return self

    def _line_of(self, fit: Fit, rows: Rows, unit: Tensor | float, *, vector: bool) -> None:
        """Write the readout as the line y = intercept + coef h, in the units of the data."""
        moments = rows.moments(torch.float64)
        weights = fit.scale[0][:, None] * fit.weights
        intercept = (moments.target_mean - moments.feature_mean @ weights) * unit
        coefficients = (weights * unit).T.numpy()
        self.coef_ = coefficients[0] if vector else coefficients
        self.intercept_ = float(intercept[0]) if vector else intercept.numpy()

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predict targets, (num_samples,) or (num_samples, num_targets)."""
        check_is_fitted(self)
        features: Any = validate_data(self, X, dtype=FLOATS, reset=False)
        return features.astype(np.float64) @ self.coef_.T + self.intercept_


__all__ = ["EpiplexityRegressor", "ReservoirFeatures"]
