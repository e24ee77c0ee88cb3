"""One differentiable step of the neural automaton from the fused kernels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from novelty_lab.systems.fused import kernels as _kernels

kernels: Any = _kernels  # launched by subscript, which no type checker knows of


@dataclass(frozen=True)
class Tile:
    """How a kernel is cut up: rows at a time, programs that loop over them, warps per program."""

    rows: int
    programs: int
    warps: int
    stages: int = 2

    def over(self, count: int) -> int:
        """Return how many tiles cover the rows."""
        return -(-count // self.rows)

    @property
    def launch(self) -> dict[str, int]:
        """Return what the launcher takes."""
        return {"num_warps": self.warps, "num_stages": self.stages}


# The fastest of a few tried on an H200 at the paper's size.
TILES = {
    "moments": Tile(128, 264, 4),
    "hidden": Tile(32, 264, 4, 3),
    "project": Tile(32, 0, 4),
    "project_backward": Tile(16, 264, 4),
    "hidden_backward": Tile(128, 132, 8, 1),
    "hidden_backward_wide": Tile(64, 264, 8, 1),  # float32 takes twice the shared memory
    "scatter": Tile(64, 0, 4),
}


@dataclass(frozen=True)
class Rule:
    """What does not change while a rule is applied."""

    radius: int
    residual: bool
    momentum: float
    epsilon: float
    store: torch.dtype
    """What the hidden values are kept in between the two kernels."""


def fused_step(values: Tensor, rule: Rule, lift: Any, layer: Any, project: Any) -> Tensor:
    """Apply a rule of one hidden layer: (num_samples, width, 2) to the same."""
    tracked = (
        lift.running_mean,
        lift.running_variance,
        layer.running_mean,
        layer.running_variance,
    )
    parameters = (
        lift.weight, lift.scale, lift.shift, layer.weight, layer.scale, layer.shift,
        project.weight, project.bias,
    )  # fmt: skip
    return _Step.apply(values.contiguous(), rule, tracked, *parameters)


@dataclass(frozen=True)
class _Shape:
    count: int
    width: int
    reads: int
    hidden: int
    padded: int

    @staticmethod
    def of(values: Tensor, weight: Tensor) -> _Shape:
        hidden, reads = weight.shape
        padded = max(16, 1 << (reads - 1).bit_length())
        return _Shape(values.shape[0] * values.shape[1], values.shape[1], reads, hidden, padded)


class _Step(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, values: Tensor, rule: Rule, tracked: Any, *parameters: Tensor) -> Tensor:
        w, gamma1, beta1, v, gamma2, beta2, p, b = parameters
        shape = _Shape.of(values, w)
        n, m, k = shape.count, shape.hidden, shape.padded
        lattice = (n, shape.width, shape.reads, rule.radius)
        empty = values.new_empty
        tile = TILES["moments"]
        partial2, partial1 = empty(tile.programs, k, k), empty(tile.programs, k)
        kernels.moments_kernel[(tile.programs,)](
            values, partial2, partial1, *lattice, tile.over(n), tile.rows, k, tile.programs,
            **tile.launch,
        )  # fmt: skip
        moment, mean = empty(k, k), empty(k)
        folded, offset, inverse1 = empty(m, k), empty(m), empty(m)
        kernels.fold_lift_kernel[(1,)](
            partial2, partial1, w, gamma1, beta1, tracked[0], tracked[1], moment, mean, folded,
            offset, inverse1, n, shape.reads, rule.momentum, rule.epsilon, tile.programs, k, m,
            num_warps=8,
        )  # fmt: skip
        hidden = empty(n, m, dtype=rule.store)
        tile = TILES["hidden"]
        sums, squares = empty(2, tile.programs, m)
        kernels.hidden_kernel[(tile.programs,)](
            values, folded, offset, v, hidden, sums, squares, *lattice, tile.over(n),
            tile.rows, k, m, tile.programs, **tile.launch,
        )  # fmt: skip
        middle, inverse2, factor, offset2 = empty(4, m)
        kernels.fold_hidden_kernel[(1,)](
            sums, squares, gamma2, beta2, tracked[2], tracked[3], middle, inverse2, factor, offset2,
            n, rule.momentum, rule.epsilon, tile.programs, m, num_warps=8,
        )  # fmt: skip
        following = torch.empty_like(values)
        tile = TILES["project"]
        kernels.project_kernel[(tile.over(n),)](
            values, hidden, factor, offset2, p, b, following, n, rule.residual, tile.rows, m,
            **tile.launch,
        )  # fmt: skip
        if any(ctx.needs_input_grad):
            ctx.rule, ctx.shape = rule, shape
            ctx.save_for_backward(
                values, *parameters, moment, mean, folded, offset, inverse1,
                hidden, middle, inverse2, factor, offset2,
            )  # fmt: skip
        return following

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        values, w, gamma1, _, v, gamma2, _, p, b, *rest = ctx.saved_tensors
        moment, mean, folded, offset, inverse1, hidden, middle, inverse2, factor, offset2 = rest
        rule, shape = ctx.rule, ctx.shape
        n, m, k = shape.count, shape.hidden, shape.padded
        lattice = (n, shape.width, shape.reads, rule.radius)
        empty = values.new_empty
        gradient = gradients[0].contiguous()
        pulled = torch.empty_like(gradient)
        tile = TILES["project_backward"]
        sums, bias_sums = empty(4, tile.programs, m), empty(tile.programs, 2)
        kernels.project_backward_kernel[(tile.programs,)](
            values, hidden, factor, offset2, p, b, gradient, pulled, sums, bias_sums, n,
            tile.over(n), rule.residual, tile.rows, m, tile.programs, **tile.launch,
        )  # fmt: skip
        of_p, of_b = torch.empty_like(p), torch.empty_like(b)
        of_gamma2, of_beta2, of_sum, of_square = empty(4, m)
        kernels.fold_hidden_backward_kernel[(1,)](
            sums, bias_sums, gamma2, middle, inverse2, factor, of_p, of_b, of_gamma2, of_beta2,
            of_sum, of_square, n, tile.programs, m, num_warps=8,
        )  # fmt: skip
        tile = TILES["hidden_backward" if rule.store == torch.bfloat16 else "hidden_backward_wide"]
        of_v, of_folded = empty(tile.programs, m, m), empty(tile.programs, m, k)
        of_offset, of_reads = empty(tile.programs, m), empty(n, k)
        kernels.hidden_backward_kernel[(tile.programs,)](
            values, folded, offset, v, hidden, factor, offset2, p, pulled, of_sum, of_square,
            of_v, of_folded, of_offset, of_reads, *lattice, tile.over(n), tile.rows, k, m,
            tile.programs, kernels.element(rule.store), **tile.launch,
        )  # fmt: skip
        of_w, (of_gamma1, of_beta1) = torch.empty_like(w), empty(2, m)
        of_moment, of_mean = empty(k, k), empty(k)
        kernels.fold_lift_backward_kernel[(1,)](
            of_folded, of_offset, w, gamma1, moment, mean, folded, inverse1, of_w, of_gamma1,
            of_beta1, of_moment, of_mean, n, shape.reads, tile.programs, k, m,
        )  # fmt: skip
        of_values = None
        if ctx.needs_input_grad[0]:
            of_values = torch.empty_like(values)
            tile = TILES["scatter"]
            kernels.moments_backward_kernel[(tile.over(n),)](
                values, of_reads, of_moment, of_mean, *lattice, tile.rows, k
            )
            kernels.scatter_kernel[(tile.over(n),)](
                of_reads, pulled, of_values, *lattice, rule.residual, tile.rows, k
            )
        return (
            of_values, None, None, of_w, of_gamma1, of_beta1, of_v.sum(0), of_gamma2, of_beta2,
            of_p, of_b,
        )  # fmt: skip
