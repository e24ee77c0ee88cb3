"""The bounded observer: a reservoir, a readout, and the length of its description."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, Literal

import torch
from torch import Tensor

from learnable_novelty.errors import UserError, UserTypeError
from learnable_novelty.observer.bits import code_length
from learnable_novelty.observer.checks import check_layout, check_pair, check_positive
from learnable_novelty.observer.denoise import denoised_readout
from learnable_novelty.observer.evidence import (
    PerSample,
    RidgePenalty,
    check_ridge_penalty,
    evidence_penalties,
)
from learnable_novelty.observer.fit import Fit, Readout, residual_bits, residual_power
from learnable_novelty.observer.reservoirs import Reservoir
from learnable_novelty.observer.solve import (
    Solution,
    solve_gram,
    solve_spectral,
)
from learnable_novelty.observer.spectral import Spectral
from learnable_novelty.observer.summary import Moments, Roots, Rows
from learnable_novelty.seeds import Seed

Solver = Literal["auto", "gram", "spectral"]


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
        solver: "gram" (products of features, or of rows where these are fewer), "spectral"
            (singular values of the rows; no gradient), or "auto": gram, and spectral where
            rounding would cost it its digits. One that is named is used, or the score is refused.
        accumulate_dtype: the dtype of sums and solves. With float64 a score is right to 1e-6
            (``digits``) or refused; a smaller dtype is not checked.
        denoise: score the denoised readout: without the part that noise explains. See
            docs/read.md.
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
        denoise: bool = False,
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
        self.reservoir = reservoir
        self.process_group = process_group
        self.ridge_penalty: RidgePenalty = ridge_penalty
        self.resolution, self.code_scale = resolution, code_scale
        self.target_unit = target_unit
        self.solver = _check_solver(solver, process_group)
        self.accumulate_dtype = accumulate_dtype
        self.denoise = denoise

    def __call__(self, inputs: Tensor, targets: Tensor, *, denoise: bool | None = None) -> Tensor:
        """Score targets against inputs: bits, 0-dim, differentiable in both.

        Args:
            inputs: what the reservoir takes, such as (num_samples, input_dim), or
                (num_samples, channels, length) for a lattice.
            targets: (num_samples, target_dim), or (num_samples, target_channels, length):
                lattice sites are rows.
            denoise: whether to score the denoised readout; as the observer is set by default.
        """
        rows = self.rows(inputs, targets)
        if self.solver == "spectral" and (rows.features.requires_grad or targets.requires_grad):
            raise UserError('solver="spectral" has no gradient; choose "auto" or "gram"')
        return self.bits(rows, denoise=denoise)

    def redraw(self, seed: Seed) -> Observer:
        """Draw another reservoir, in place."""
        self.reservoir.redraw(seed)
        return self

    def copied(self) -> Observer:
        """Return a copy with a reservoir of its own, to be drawn anew."""
        other = copy.copy(self)
        other.reservoir = self.reservoir.copied()
        return other

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

    def moments(self, rows: Rows, *, target_products: bool = False) -> Moments:
        """Compute the moments of rows; with a process group, of the rows of all its ranks.

        Args:
            rows: features and targets.
            target_products: with the products of targets, as denoised bits need them.
        """
        own = rows.moments(self.accumulate_dtype, target_products=target_products or self.denoise)
        if self.process_group is None:
            return own
        from learnable_novelty.observer.distributed import merge_ranks

        return merge_ranks(own, self.process_group)

    def bits(self, data: Rows | Moments, *, denoise: bool | None = None) -> Tensor:
        """Score from rows, or from moments, which are those of all ranks already."""
        wanted = self.denoise if denoise is None else denoise
        if wanted and isinstance(data, Rows) and not self._by_rows(data):
            data = self.moments(data, target_products=True)
        standard, _, solution = self._solve(data)
        if not wanted:
            return solution.log2det * self.code_scale
        readout = denoised_readout(standard, solution.readout)
        return code_length(readout, self.resolution, self.code_scale)

    def fit(self, data: Rows | Moments | Roots, *, penalty: float | None = None) -> Fit:
        """Fit the ridge readout in the axes of its features, ready to be refitted to other targets.

        Args:
            data: rows, or roots, whose singular values are taken; or moments, whose Gram matrix is
                diagonalized. ``solver="gram"`` diagonalizes the Gram matrix of rows too.
            penalty: lambda, in place of the observer's own rule.
        """
        found = self.fits([data], penalty=penalty)[0]
        found.bits()  # refused here where rounding may change them
        return found

    @torch.no_grad()
    def fits(
        self, many: Sequence[Rows | Moments | Roots], *, penalty: float | None = None
    ) -> list[Fit]:
        """Fit many data sets; penalties by evidence are searched for all of them at once."""
        standards = [self.standardized(data) for data in many]
        all_axes = [
            Spectral.of(one.products() if self.solver == "gram" else one) for one in standards
        ]
        if penalty is not None:
            penalties = [penalty] * len(all_axes)
        elif self.ridge_penalty == "evidence":
            penalties = evidence_penalties(all_axes)[:, 0].tolist() if all_axes else []
        else:
            penalties = [self.penalty_for(axes) for axes in all_axes]
        return [
            self._fitted(*one) for one in zip(many, standards, all_axes, penalties, strict=True)
        ]

    def _fitted(
        self,
        data: Rows | Moments | Roots,
        standard: Moments | Roots,
        axes: Spectral,
        penalty: float,
    ) -> Fit:
        if not isinstance(data, Rows) or not isinstance(standard, Roots):
            return Fit(self, axes, penalty, standard.scale)
        weighted = data.weights is not None and not bool((data.weights == 1).all())
        return Fit(self, axes, penalty, standard.scale, standard, weighted)

    def readout(self, inputs: Tensor, targets: Tensor) -> Readout:
        """Fit the ridge readout and report it."""
        return self.readout_of(self.rows(inputs, targets))

    @torch.no_grad()
    def readout_of(self, data: Rows | Moments) -> Readout:
        """Fit the ridge readout to rows or to moments."""
        standard, penalty, solution = self._solve(data)
        weights, bits = solution.readout, solution.log2det * self.code_scale
        power, total = residual_power(standard, weights), float(standard.power)
        return Readout(
            weights=weights,
            singular_values=torch.linalg.svdvals(weights),
            model_bits=float(bits),
            residual_bits=residual_bits(power, self.noise_variance(penalty)),
            explained_variance=1 - power / total if total > 0 else 0.0,
            ridge_penalty=penalty,
            noise_variance=self.noise_variance(penalty),
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
    def penalty_for(self, data: Moments | Roots | Spectral) -> float:
        """Return lambda for this data."""
        if self.ridge_penalty == "evidence":
            axes = data if isinstance(data, Spectral) else Spectral.of(data)
            return float(evidence_penalties([axes]))
        if isinstance(self.ridge_penalty, PerSample):
            return self.ridge_penalty.value * data.count
        return float(self.ridge_penalty)

    def standardized(self, data: Rows | Moments | Roots) -> Moments | Roots:
        """Return what the readout is fitted to: features and targets in their units."""
        if isinstance(data, Rows):
            data = data.centred(self.accumulate_dtype)
        elif isinstance(data, Moments) and self.solver == "spectral":
            raise UserError(
                'solver="spectral" works on rows, and moments have none; choose "auto" or "gram"'
            )
        own_scale = self.reservoir.has_own_scale
        return data.standardized(self.target_unit, own_scale=own_scale)

    def _by_rows(self, rows: Rows) -> bool:
        """Tell whether the rows themselves are solved, not their moments."""
        count, width = rows.features.shape
        return self.solver == "spectral" or (count < width and self.process_group is None)

    def _solve(self, data: Rows | Moments) -> tuple[Moments | Roots, float, Solution]:
        """Return the standardized data, lambda, and a solution that is right or refused."""
        if isinstance(data, Rows) and not self._by_rows(data):
            standard = self.standardized(self.moments(data))
        else:
            standard = self.standardized(data)
        penalty = self.penalty_for(standard)
        if self.solver == "spectral":
            return standard, penalty, solve_spectral(standard, penalty, self.resolution)

        def exact() -> Moments | Roots:
            # The rows themselves; where they are gone, or on other ranks, their moments.
            own = isinstance(data, Rows) and self.process_group is None
            return self.standardized(data) if own else standard

        swap = self.solver == "auto"
        return standard, penalty, solve_gram(standard, exact, penalty, self.resolution, swap=swap)

    def __repr__(self) -> str:
        names = ["ridge_penalty", "resolution", "code_scale", "target_unit", "solver"]
        names += ["denoise"] if self.denoise else []
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"Observer({self.reservoir}, {fields}, accumulate_dtype={self.accumulate_dtype})"


def _check_solver(solver: str, process_group: Any) -> Solver:
    """Return the solver of a name, or raise unless it is known and goes with the process group."""
    if solver not in ("auto", "gram", "spectral"):
        raise UserError(f"solver must be auto, gram or spectral, got {solver!r}")
    if process_group is not None and solver == "spectral":
        raise UserError(
            f"a process group sums moments, so solver must be auto or gram, got {solver!r}"
        )
    return solver
