"""The score as a loss: it keeps a learned code from collapsing.

With frozen features H of the inputs, standardized, and a batch of codes Y, normalized per column,

    W = (H'H + lambda I)^-1 H'Y,        the readout in closed form
    c_j = R2_loo(j) / R2_fit(j),        how honestly column j is read
    S = 1/2 log2 det(I + eta C W'W C),  C = diag(c),    in bits

and the loss is -S, in units of the S of the first batch. A code that says little of the inputs has
few bits, a constant one has none. Raw bits (c = 1) also pay noise when rows are few, since a ridge
fits noise too; the leave-one-out share, closed form from the leverages, takes that away.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.functional import batch_norm, softplus

from learnable_novelty.errors import UserError, UserTypeError
from learnable_novelty.objective.any_shape import AnyShape
from learnable_novelty.observer.checks import check_positive, whole_number
from learnable_novelty.observer.reservoirs.base import Reservoir
from learnable_novelty.seeds import check_seed

FEWEST_ROWS = 3
"""Two rows leave each other out: nothing can be predicted from one row."""
CODE_EPSILON = 1e-5
"""Added to the variance of a code's column, as batch normalization does."""
SHARPNESS = 10.0
"""Of the cut at c = 0: a column that is not read yet keeps a small gradient."""


class EpiplexityLoss(nn.Module):
    """Minus the bits that a frozen observer reads of a code from the inputs.

        loss = alignment(codes) + EpiplexityLoss()(inputs, codes)

    The observer is made at the first batch, from the shape of the inputs and ``seed``, and is part
    of the module's state. The loss is about -1 for an untrained code and falls as the code says
    more of the inputs, so one weight, 1, serves as a start. It does not see the scale of a code:
    end the network with ``BatchNorm1d(affine=False)``, or compare normalized codes, where the
    other loss would shrink them.

    In a process group the batch is that of all ranks, and the gradient that
    ``DistributedDataParallel`` averages is exactly that of the undivided batch.

    Args:
        features: how many features the observer has.
        ridge_penalty: lambda, for features of mean square 1/features.
        resolution: eta.
        honest: pay a column only as far as it can be predicted on rows that were left out.
        normalize: divide by the bits of the first batch, at least one.
        reservoir: an observer of your own instead, called with the inputs (and the action).
        seed: of the observer.

    >>> images, codes = torch.rand(32, 3, 16, 16), torch.randn(32, 8, requires_grad=True)
    >>> loss = EpiplexityLoss()(images, codes)
    >>> loss.backward()
    """

    last_bits: Tensor
    """S of the last batch, before any division."""
    first_bits: Tensor
    """What the loss is divided by; NaN before the first batch."""

    def __init__(
        self,
        *,
        features: int = 64,
        ridge_penalty: float = 3.0,
        resolution: float = 30.0,
        honest: bool = True,
        normalize: bool = True,
        reservoir: Reservoir | None = None,
        seed: int = 0,
    ) -> None:
        super().__init__()
        check_positive(ridge_penalty=ridge_penalty, resolution=resolution)
        self.features = whole_number("features", features, 1)
        self.ridge_penalty, self.resolution = float(ridge_penalty), float(resolution)
        self.honest, self.normalize = bool(honest), bool(normalize)
        self.seed = check_seed(seed)
        self.reservoir = reservoir
        self.register_buffer("last_bits", torch.tensor(math.nan), persistent=False)
        self.register_buffer("first_bits", torch.tensor(math.nan))

    def forward(
        self,
        inputs: Tensor | Sequence[Tensor],
        codes: Tensor | Sequence[Tensor],
        action: Tensor | None = None,
    ) -> Tensor:
        """Return the loss of codes given inputs.

        Args:
            inputs: (num_samples, size), (num_samples, channels, length) or (num_samples, channels,
                height, width); bytes are divided by 255. A list holds several views.
            codes: (num_samples, ...), flattened; a list of several views is averaged, each read
                from its own view of the inputs or, if there is one tensor of these, from that.
            action: (num_samples, action_dim): what was done between inputs and codes.

        Returns:
            0-dim, differentiable in the codes.
        """
        bits = self.bits(inputs, codes, action)
        with torch.no_grad():
            self.last_bits.copy_(bits)
            known = self.first_bits.isfinite()
            self.first_bits.copy_(torch.where(known, self.first_bits, bits.clamp(min=1.0)))
        unit = self.first_bits.to(bits) if self.normalize else 1.0
        return -bits / unit

    def bits(
        self,
        inputs: Tensor | Sequence[Tensor],
        codes: Tensor | Sequence[Tensor],
        action: Tensor | None = None,
    ) -> Tensor:
        """Return S in bits, 0-dim: ``forward`` without sign and unit."""
        code_views, input_views = _views("codes", codes), _views("inputs", inputs)
        if not code_views or len(input_views) not in (1, len(code_views)):
            raise UserError(
                f"expected one view of the inputs, or as many as of the codes, {len(code_views)}; "
                f"got {len(input_views)}"
            )
        # Views of one input share its features, and are solved at once.
        groups = [code_views] if len(input_views) == 1 else [[view] for view in code_views]
        pairs = zip(input_views, groups, strict=True)
        total = torch.cat([self._bits_of_views(each, group, action) for each, group in pairs])
        return total.mean().to(torch.promote_types(code_views[0].dtype, torch.float32))

    def _bits_of_views(
        self, inputs: Tensor, codes: Sequence[Tensor], action: Tensor | None
    ) -> Tensor:
        inputs = _as_floats(inputs)
        flat = [_checked(inputs, view) for view in codes]
        if len({view.shape for view in flat}) > 1:
            raise UserError(
                "expected views of the codes of one shape, got "
                f"{', '.join(str(tuple(view.shape)) for view in codes)}"
            )
        where = flat[0].device.type
        # Autocast would round the observer, and below them the sums that are differences later.
        with torch.autocast(where, enabled=False):
            exact = torch.float32 if where == "mps" else torch.float64
            with torch.no_grad():
                features = self._features(inputs, action).to(exact)
            return _bits(features, torch.cat(flat, 1).to(exact), len(flat), self)

    def _features(self, inputs: Tensor, action: Tensor | None) -> Tensor:
        inputs = inputs if inputs.dtype == torch.float64 else inputs.float()
        if self.reservoir is None:
            self._make(tuple(inputs.shape[1:]), 0 if action is None else action.shape[-1])
        reservoir = self.reservoir
        assert reservoir is not None
        features = reservoir(inputs) if action is None else reservoir(inputs, action)
        return reservoir.rows(features)

    def _make(self, shape: tuple[int, ...], action_dim: int) -> None:
        self.reservoir = AnyShape(shape, self.features, action_dim=action_dim, seed=self.seed)
        self.reservoir.to(self.first_bits.device)

    def get_extra_state(self) -> dict[str, Any]:
        made = self.reservoir
        if not isinstance(made, AnyShape):
            return {}
        return {
            "shape": list(made.shape),
            "features": made.feature_dim,
            "action_dim": made.action_dim,
            "seed": made.seed,
        }

    def set_extra_state(self, state: dict[str, Any]) -> None:
        # Called before the weights are loaded, so that there is something to load them into.
        if state and self.reservoir is None:
            self.features, self.seed = state["features"], state["seed"]
            self._make(tuple(state["shape"]), state["action_dim"])

    def extra_repr(self) -> str:
        knobs = f"ridge_penalty={self.ridge_penalty}, resolution={self.resolution}"
        forms = f"honest={self.honest}, normalize={self.normalize}"
        return f"features={self.features}, {knobs}, {forms}, seed={self.seed}"


def _bits(features: Tensor, codes: Tensor, num_views: int, loss: EpiplexityLoss) -> Tensor:
    """Compute S of every view, given features (num_samples, feature_dim).

    Codes are (num_samples, num_views * code_dim). On a GPU nothing here waits for a result.
    """
    count = _over_ranks(torch.full((), len(codes), dtype=codes.dtype, device=codes.device))
    with torch.no_grad():
        h = _standardized(features, count, 0.0) / features.shape[1] ** 0.5
        eye = torch.eye(h.shape[1], dtype=h.dtype, device=h.device)
        factor = _cholesky(_over_ranks(h.T @ h) + loss.ridge_penalty * eye)
        white = torch.linalg.solve_triangular(factor, h.T, upper=False)
        solver = torch.linalg.solve_triangular(factor.T, white, upper=True)
        remaining = 1 - 1 / count - white.square().sum(0)
    y = _standardized(codes, count, CODE_EPSILON)
    readout = _over_ranks(solver @ y)
    if loss.honest:
        readout = readout * _honesty(y, y - h @ readout, remaining)
    readout = readout.unflatten(1, (num_views, -1)).movedim(1, 0)
    wide = readout.shape[1] <= readout.shape[2]
    small = readout @ readout.mT if wide else readout.mT @ readout
    eye = torch.eye(small.shape[1], dtype=h.dtype, device=h.device)
    pivots = _cholesky(eye + loss.resolution * small)
    return pivots.diagonal(dim1=1, dim2=2).log2().sum(1)


def _cholesky(matrix: Tensor) -> Tensor:
    factor, failed = torch.linalg.cholesky_ex(matrix)
    if _can_look_at(matrix) and bool(failed.any()):
        raise UserError(
            "rounding has made a positive definite matrix singular; choose a larger ridge_penalty"
        )
    return torch.where((failed > 0)[..., None, None], math.nan, factor)


def _honesty(targets: Tensor, residuals: Tensor, remaining: Tensor) -> Tensor:
    """Return c of every column: the share of R2 that is left when a row is not its own witness.

    R2_loo has residuals e_i / (1 - h_i), as if row i had been left out; ``remaining`` is 1 - h_i,
    with the mean's 1/n. c is cut softly at 0 and hard at 1.
    """
    weights = torch.stack([torch.ones_like(remaining), remaining.square().reciprocal()])
    sums = torch.cat([targets.square().sum(0, keepdim=True), weights @ residuals.square()])
    power, *errors = _over_ranks(sums)
    fit, loo = (1 - error / power.clamp(min=torch.finfo(power.dtype).tiny) for error in errors)
    share = loo / fit.clamp(min=1e-12)
    one = math.log1p(math.exp(SHARPNESS)) / SHARPNESS
    return (softplus(SHARPNESS * share) / SHARPNESS / one).clamp(max=1.0)


def _standardized(values: Tensor, count: Tensor, epsilon: float) -> Tensor:
    """Centre columns and divide by their deviations; a constant column becomes zero."""
    if epsilon and _num_ranks() == 1:
        return batch_norm(values, None, None, training=True, eps=epsilon)
    centred = values - _over_ranks(values.sum(0)) / count
    variance = _over_ranks(centred.square().sum(0)) / count + epsilon
    return centred / torch.where(variance > 0, variance, 1.0).sqrt()


def _views(name: str, values: Tensor | Sequence[Tensor]) -> list[Tensor]:
    views: list[Any] = list(values) if isinstance(values, (list, tuple)) else [values]
    for view in views:
        if not isinstance(view, Tensor):
            raise UserTypeError(f"{name} must be a torch.Tensor, got {type(view).__name__}")
    return views


def _as_floats(inputs: Tensor) -> Tensor:
    if inputs.dtype == torch.uint8:
        return inputs.float() / 255
    return inputs if inputs.is_floating_point() else inputs.float()


def _checked(inputs: Tensor, codes: Tensor) -> Tensor:
    """Return codes as (num_samples, code_dim), or raise a sentence."""
    if not codes.is_floating_point():
        raise UserTypeError(f"codes must be of a floating dtype, got {codes.dtype}")
    if inputs.ndim < 2 or codes.ndim < 2 or len(inputs) != len(codes):
        raise UserError(
            "expected inputs and codes with one row per sample, got "
            f"{tuple(inputs.shape)} and {tuple(codes.shape)}"
        )
    ranks = _num_ranks()
    if len(codes) * ranks < FEWEST_ROWS:
        raise UserError(
            f"expected at least {FEWEST_ROWS} samples in a batch, got {len(codes)}; with "
            "drop_last=True a data loader leaves out a short last batch"
        )
    if _can_look_at(codes):
        for name, values in (("inputs", inputs), ("codes", codes)):
            if not bool(values.detach().isfinite().all()):
                raise UserError(
                    f"{name} hold NaN or infinite values; lower the learning rate, or see "
                    "whether a half-precision layer overflows"
                )
    return codes.flatten(1)


def _can_look_at(values: Tensor) -> bool:
    """Tell whether values may be checked: a GPU would stand still for it, and gives NaN instead."""
    return values.device.type == "cpu" and not torch.compiler.is_compiling()


def _num_ranks() -> int:
    return dist.get_world_size() if dist.is_available() and dist.is_initialized() else 1


def _over_ranks(values: Tensor) -> Tensor:
    """Add over the ranks of a process group, if there is one."""
    return _Sum.apply(values) if _num_ranks() > 1 else values


class _Sum(torch.autograd.Function):
    """A sum over ranks. Every rank holds the same loss, so gradients are summed as well."""

    @staticmethod
    def forward(ctx: Any, values: Tensor) -> Tensor:
        total = values.clone()
        dist.all_reduce(total)
        return total

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Tensor:
        total = gradients[0].contiguous().clone()
        dist.all_reduce(total)
        return total
