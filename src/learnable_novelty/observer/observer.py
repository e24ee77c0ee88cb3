"""The bounded observer: a reservoir, a readout, and the length of its description."""

from __future__ import annotations

from typing import Any, Literal

import torch
from torch import Tensor

from learnable_novelty.errors import UserError, UserTypeError
from learnable_novelty.observer.checks import check_layout, check_pair, check_positive
from learnable_novelty.observer.code_length import code_length
from learnable_novelty.observer.evidence import evidence_penalty
from learnable_novelty.observer.mdl import minimize_description_length
from learnable_novelty.observer.moments import Moments
from learnable_novelty.observer.penalty import PerSample, RidgePenalty, check_ridge_penalty
from learnable_novelty.observer.readout import (
    Readout,
    explained_variance,
    residual_bits,
    residual_power,
)
from learnable_novelty.observer.reservoirs import Reservoir
from learnable_novelty.observer.ridge import (
    cholesky_readout,
    dual_log2det,
    dual_readout,
    qr_readout,
)
from learnable_novelty.observer.rows import Rows, StandardizedRows
from learnable_novelty.observer.spectrum import Axes
from learnable_novelty.observer.standardize import Standardized, standardize
from learnable_novelty.seeds import Seed

Solver = Literal["auto", "cholesky", "dual", "qr"]


class Observer:
    """Score how much structure a bounded learner reads off the inputs about the targets.

    The score is eq. (rc-score) of the paper,

        S = alpha log2 det(I + eta W W'),   W = (H~'H~ + lambda I)^-1 H~'Y~,

    with H~ the standardized features of a frozen reservoir and Y~ the centred targets in units of
    ``target_unit``. An observer is one reservoir draw; ``redraw`` makes another.

    Args:
        reservoir: the frozen feature map.
        ridge_penalty: lambda; a positive number (the paper's), ``PerSample(value)``, or
            "evidence" (maximum marginal likelihood). Gradients do not flow through a lambda
            chosen by evidence: it is held fixed, as the paper's is.
        resolution: eta.
        code_scale: alpha.
        target_unit: the measurement precision u_Y posited for the targets; one number, or one
            per target column.
        solver: "cholesky" (moments), "dual" (rows), "qr" (appendix E), or "auto": the dual when
            there are fewer rows than features, else Cholesky.
        accumulate_dtype: the dtype of sums and solves.
        process_group: of ``torch.distributed``, where every rank holds a part of the batch: the
            moments are summed over its ranks, so that each of them gets the score of the
            undivided batch and, for its own samples, the gradient. See docs/scale.md.

    >>> from learnable_novelty.observer.reservoirs import MLP
    >>> observer = Observer(MLP(2, 16, 2), ridge_penalty=0.1)
    >>> x = torch.randn(64, 2)
    >>> bool(observer(x, x.sin()) > 0)
    True
    """

    def __init__(
        self,
        reservoir: Reservoir,
        *,
        ridge_penalty: RidgePenalty,
        resolution: float = 1.0,
        code_scale: float = 0.5,
        target_unit: float | Tensor = 1.0,
        solver: Solver = "auto",
        accumulate_dtype: torch.dtype = torch.float64,
        process_group: Any = None,
    ) -> None:
        if not isinstance(reservoir, Reservoir):
            raise UserTypeError(f"reservoir must be a Reservoir, got {type(reservoir).__name__}")
        check_ridge_penalty(ridge_penalty)
        check_positive(resolution=resolution, code_scale=code_scale)
        if not isinstance(target_unit, Tensor):
            check_positive(target_unit=target_unit)
        elif not bool((target_unit > 0).all()):
            raise UserError("target_unit must be positive in every column")
        if solver not in ("auto", "cholesky", "dual", "qr"):
            raise UserError(f"solver must be auto, cholesky, dual or qr, got {solver!r}")
        if process_group is not None and solver not in ("auto", "cholesky"):
            raise UserError(
                f"a process group sums moments, so solver must be auto or cholesky, got {solver!r}"
            )
        self.reservoir = reservoir
        self.process_group = process_group
        self.ridge_penalty = ridge_penalty
        self.resolution, self.code_scale = resolution, code_scale
        self.target_unit = target_unit
        self.solver: Solver = solver
        self.accumulate_dtype = accumulate_dtype

    def __call__(self, inputs: Tensor, targets: Tensor) -> Tensor:
        """Score targets against inputs: bits, 0-dim, differentiable in both.

        Args:
            inputs: what the reservoir takes, such as (num_samples, input_dim), or
                (num_samples, channels, length) for a lattice.
            targets: (num_samples, target_dim), or (num_samples, target_channels, length):
                lattice sites are rows.
        """
        return self.bits_of_rows(self.rows(inputs, targets))

    def redraw(self, seed: Seed) -> Observer:
        """Draw another reservoir, in place."""
        self.reservoir.redraw(seed)
        return self

    def rows(self, inputs: Tensor, targets: Tensor) -> Rows:
        """Compute features and lay features and targets out as regression rows."""
        check_pair(inputs, targets)
        if inputs.requires_grad and torch.is_grad_enabled():
            features = self.reservoir(inputs)
        else:
            with torch.no_grad():
                features = self.reservoir(inputs)
        check_layout(features, targets, self.reservoir.column_axis)
        return Rows(self.reservoir.rows(features), self.reservoir.rows(targets))

    def moments(self, rows: Rows) -> Moments:
        """Compute the moments of rows; with a process group, of the rows of all its ranks."""
        own = rows.moments(self.accumulate_dtype)
        if self.process_group is None:
            return own
        from learnable_novelty.observer.ranks import merge_ranks

        return merge_ranks(own, self.process_group)

    def bits(self, moments: Moments) -> Tensor:
        """Score from moments alone, by the primal solve; they are those of all ranks already."""
        normal = standardize(moments, self.target_unit)
        penalty = self.penalty_for(normal)
        return code_length(cholesky_readout(normal, penalty), self.resolution, self.code_scale)

    def bits_of_rows(self, rows: Rows) -> Tensor:
        """Score from rows, by the cheaper side unless ``solver`` says which."""
        solver = self.solver_for(rows)
        if solver == "cholesky":
            return self.bits(self.moments(rows))
        standard = rows.standardized(self.target_unit, self.accumulate_dtype)
        penalty = self.penalty_for(standard)
        if solver == "dual":
            return dual_log2det(standard, penalty, self.resolution) * self.code_scale
        return code_length(qr_readout(standard, penalty), self.resolution, self.code_scale)

    def readout(
        self, inputs: Tensor, targets: Tensor, kind: Literal["ridge", "mdl"] = "ridge"
    ) -> Readout:
        """Fit a readout and report it: the ridge, or the exact minimizer of appendix D."""
        return self.readout_of(self.rows(inputs, targets), kind)

    @torch.no_grad()
    def readout_of(self, data: Rows | Moments, kind: Literal["ridge", "mdl"] = "ridge") -> Readout:
        """Fit a readout to rows or to moments."""
        if kind not in ("ridge", "mdl"):
            raise UserError(f"kind must be ridge or mdl, got {kind!r}")
        standard, weights = self._solve(data)
        penalty = self.penalty_for(standard)
        converged, sweeps = True, 0
        if kind == "mdl":
            axes = Axes.of(standard)
            minimum = minimize_description_length(axes, penalty, self.resolution, self.code_scale)
            weights = axes.basis @ minimum.readout
            converged, sweeps = minimum.converged, len(minimum.objective) - 1
        variance = self.noise_variance(penalty)
        residual = residual_power(standard, weights)
        return Readout(
            weights=weights,
            singular_values=torch.linalg.svdvals(weights),
            model_bits=float(code_length(weights, self.resolution, self.code_scale)),
            residual_bits=residual_bits(residual, variance),
            explained_variance=explained_variance(standard, weights),
            ridge_penalty=penalty,
            noise_variance=variance,
            converged=converged,
            sweeps=sweeps,
        )

    def noise_variance(self, penalty: float) -> float | None:
        """Return the sigma^2 = lambda / (2 alpha eta) that a penalty posits, eq. (mdl-objective).

        A penalty chosen by evidence is the ratio of noise to prior variance and posits neither:
        None.
        """
        if self.ridge_penalty == "evidence":
            return None
        return penalty / (2 * self.code_scale * self.resolution)

    @torch.no_grad()
    def bits_and_variance(self, data: Rows | Moments) -> tuple[float, float]:
        """Return the score in bits and the share of target variance the ridge explains."""
        standard, weights = self._solve(data)
        bits = float(code_length(weights, self.resolution, self.code_scale))
        return bits, explained_variance(standard, weights)

    def solver_for(self, rows: Rows) -> Solver:
        """Name the solver that these rows get."""
        if self.solver != "auto":
            return self.solver
        num_rows, feature_dim = rows.features.shape
        if self.process_group is not None:
            return "cholesky"
        return "dual" if num_rows < feature_dim else "cholesky"

    def penalty_for(self, data: Standardized | StandardizedRows) -> float:
        """Return lambda for this data."""
        if self.ridge_penalty == "evidence":
            return evidence_penalty(Axes.of(data))
        return self._posited_penalty(data.count)

    def penalty_for_axes(self, axes: Axes) -> float:
        """Return lambda for a regression in its own axes."""
        if self.ridge_penalty == "evidence":
            return evidence_penalty(axes)
        return self._posited_penalty(axes.count)

    def _posited_penalty(self, count: float) -> float:
        if isinstance(self.ridge_penalty, PerSample):
            return self.ridge_penalty.value * count
        return float(self.ridge_penalty)

    def _solve(self, data: Rows | Moments) -> tuple[Standardized | StandardizedRows, Tensor]:
        solver = "cholesky" if isinstance(data, Moments) else self.solver_for(data)
        if isinstance(data, Moments) or solver == "cholesky":
            moments = data if isinstance(data, Moments) else self.moments(data)
            normal = standardize(moments, self.target_unit)
            return normal, cholesky_readout(normal, self.penalty_for(normal))
        rows = data.standardized(self.target_unit, self.accumulate_dtype)
        penalty = self.penalty_for(rows)
        if solver == "dual":
            return rows, dual_readout(rows, penalty, self.resolution)
        return rows, qr_readout(rows, penalty)

    def __repr__(self) -> str:
        names = ("ridge_penalty", "resolution", "code_scale", "target_unit", "solver")
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"Observer({self.reservoir}, {fields}, accumulate_dtype={self.accumulate_dtype})"
