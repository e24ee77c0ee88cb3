"""Gradient ascent on a score: any module that makes data, any observer.

    theta <- theta + AdamW( clip( grad_theta  scale * S(Y_theta | X) ) )

The randomness of a step is split off the seed by the number of the step, and the learning rate is
a function of it, so a run is its seed, its weights and its optimizer: nothing else to restore.
"""

from __future__ import annotations

import math
import signal
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

import torch
from torch import Tensor, nn

from learnable_novelty.errors import NumericalError, UserError
from learnable_novelty.seeds import split
from novelty_lab.ascent.checkpoints import Checkpoint, Checkpoints
from novelty_lab.ascent.graph import GraphedStep
from novelty_lab.ascent.interrupt import deferred_interrupts

Objective = Callable[[Tensor, Tensor], Tensor]
MakeBatch = Callable[[torch.Generator], tuple[Tensor, Tensor]]
LOOKING = {"checkpoint_every", "check_every", "graph"}
"""Settings that do not change the numbers, and may change on the way."""
PATIENCE = 20
"""Steps in a row with a score of exactly zero before giving up."""


class AscentStopped(NumericalError):
    """An ascent that cannot go on: the score is not a number, or stays at exactly zero."""


@dataclass(frozen=True)
class AscentConfig:
    """How to climb: AdamW with cosine annealing and clipped gradients, as in table 4."""

    steps: int = 2000
    """Gradient steps."""
    learning_rate: float = 1e-4
    """Of AdamW, at the first step."""
    weight_decay: float = 0.01
    """Of AdamW; the paper is silent, this is PyTorch's default."""
    annealing: Literal["cosine", "none"] = "cosine"
    """Learning rate falling to zero along a half cosine, or held."""
    score_scale: float = 1.0
    """Factor on the score before its gradient is taken and clipped."""
    clip: float | None = 0.5
    """Largest gradient, or None for no clipping."""
    clip_by: Literal["norm", "value"] = "norm"
    """Whether ``clip`` bounds the norm of the whole gradient, or each entry."""
    checkpoint_every: int = 200
    """Steps between snapshots; step 0 and the last step always have one."""
    check_every: int = 10
    """Steps between looks at the score: each look waits for the device."""
    graph: bool = False
    """On a GPU, record a step once and replay it: no time between kernels. What the batch and the
    objective do must then be the same work at every step, and not wait for the device."""

    def __post_init__(self) -> None:
        for name in ("steps", "checkpoint_every", "check_every"):
            if getattr(self, name) < 1:
                raise UserError(f"{name} must be at least 1, got {getattr(self, name)}")
        for name in ("learning_rate", "score_scale"):
            if not (getattr(self, name) > 0 and math.isfinite(getattr(self, name))):
                raise UserError(f"{name} must be positive, got {getattr(self, name)}")
        if self.clip is not None and not self.clip > 0:
            raise UserError(f"clip must be positive or None, got {self.clip}")
        if self.annealing not in ("cosine", "none") or self.clip_by not in ("norm", "value"):
            raise UserError("annealing must be cosine or none, and clip_by norm or value")

    def learning_rate_at(self, step: int) -> float:
        """Return the learning rate of a step: eta (1 + cos(pi k / K)) / 2."""
        if self.annealing == "none":
            return self.learning_rate
        return self.learning_rate * (1 + math.cos(math.pi * step / self.steps)) / 2

    def has_snapshot(self, step: int) -> bool:
        """Tell whether the state after a step is kept to the end."""
        return step % self.checkpoint_every == 0 or step == self.steps


@dataclass
class Ascended:
    """What an ascent did."""

    scores: list[float] = field(default_factory=list)
    """Bits before each step, on the batch of that step."""
    snapshots: dict[int, dict[str, Tensor]] = field(default_factory=dict)
    """State of the module by number of steps taken, on the CPU."""


class Ascent:
    """Climb a score.

    Args:
        module: what is trained, in place.
        objective: an ``Observer``, or any function of (inputs, targets) to maximize.
        make_batch: makes (inputs, targets) with the module, from a generator on its device.
        config: how to climb.
        seed: of the batches.
        directory: where checkpoints go; without one nothing is written.
    """

    def __init__(
        self,
        module: nn.Module,
        objective: Objective,
        make_batch: MakeBatch,
        config: AscentConfig | None = None,
        *,
        seed: int = 0,
        directory: Path | None = None,
    ) -> None:
        self.module, self.objective, self.make_batch = module, objective, make_batch
        self.config = AscentConfig() if config is None else config
        self.seed, self.directory = seed, directory
        self._parameters = [p for p in module.parameters() if p.requires_grad]
        if not self._parameters:
            raise UserError(f"{type(module).__name__} has no parameter to train")
        self._device = self._parameters[0].device
        self._graphed: GraphedStep | None = None
        graph = self._graph = self.config.graph and self._device.type == "cuda"
        rate = torch.tensor(self.config.learning_rate, device=self._device) if graph else 0.0
        self._optimizer = torch.optim.AdamW(
            self._parameters, lr=rate, weight_decay=self.config.weight_decay, capturable=graph
        )

    def run(
        self,
        *,
        resume: bool = False,
        report: Callable[[int, int, float], None] | None = None,
    ) -> Ascended:
        """Climb to the last step.

        Args:
            resume: go on from the latest checkpoint in the directory.
            report: called with steps done, steps to do, and the latest score.

        Raises:
            AscentStopped: the score is not a number, or stays at exactly zero.
            KeyboardInterrupt: at Ctrl-C, after the present step has been finished and saved.
        """
        store, result, config = self._open_store(resume), Ascended(), self.config
        first = self._restore(store, result) if store is not None and resume else 0
        pending: list[tuple[Tensor, Tensor]] = []
        with deferred_interrupts() as interrupts:
            for step in range(first, config.steps):
                if step == 0:
                    self._save(store, result, 0)
                pending.append(self._step(step))
                done = step + 1
                at_checkpoint = done % config.checkpoint_every == 0
                # Read once: an interrupt that comes later in this pass would not be saved by it.
                interrupted = bool(interrupts.requested)
                last = done == config.steps or interrupted
                if last or at_checkpoint or done % config.check_every == 0:
                    self._collect(result, pending)
                    if report is not None:
                        report(done, config.steps, result.scores[-1])
                if last or at_checkpoint:
                    self._save(store, result, done)
                if interrupted:
                    break
            if interrupts.requested == signal.SIGTERM:
                raise SystemExit(128 + signal.SIGTERM)
            if interrupts.requested:
                where = "nothing is saved" if store is None else f"it is saved in {self.directory}"
                raise KeyboardInterrupt(f"interrupted after step {len(result.scores)}; {where}")
        return result

    def _step(self, step: int) -> tuple[Tensor, Tensor]:
        seed, rate = split(self.seed, "ascent", step), self.config.learning_rate_at(step)
        for group in self._optimizer.param_groups:
            if isinstance(group["lr"], Tensor):
                group["lr"].fill_(rate)
            else:
                group["lr"] = rate
        if self._graph:
            if self._graphed is None:
                self._graphed = GraphedStep(self._climb, self.module, self._optimizer)
            return self._graphed.replay(seed)
        return self._climb(torch.Generator(self._device).manual_seed(seed), step)

    def _climb(self, generator: torch.Generator, step: int = 0) -> tuple[Tensor, Tensor]:
        """Make a batch, score it, and take one step along the gradient."""
        config = self.config
        self._optimizer.zero_grad(set_to_none=True)
        inputs, targets = self.make_batch(generator)
        score = self._evaluate(inputs, targets, step)
        (-config.score_scale * score).backward()
        norm = nn.utils.get_total_norm(
            [p.grad for p in self._parameters if p.grad is not None], foreach=True
        )
        if config.clip is not None and config.clip_by == "norm":
            nn.utils.clip_grads_with_norm_(self._parameters, config.clip, norm, foreach=True)
        elif config.clip is not None:
            nn.utils.clip_grad_value_(self._parameters, config.clip)
        self._optimizer.step()
        return score.detach(), norm

    def _evaluate(self, inputs: Tensor, targets: Tensor, step: int) -> Tensor:
        try:
            return self.objective(inputs, targets)
        except (ValueError, torch.linalg.LinAlgError):  # pyright: ignore[reportPrivateImportUsage]
            if bool(torch.isfinite(inputs).all()) and bool(torch.isfinite(targets).all()):
                raise
            raise AscentStopped(
                f"the batch of step {step} is not finite: the module diverged; "
                "try a smaller learning_rate or a smaller clip"
            ) from None

    def _collect(self, result: Ascended, pending: list[tuple[Tensor, Tensor]]) -> None:
        """Fetch what the device has computed, and stop where it makes no sense."""
        values = torch.stack([torch.stack((s.double(), n.double())) for s, n in pending]).tolist()
        pending.clear()
        for score, norm in values:
            step = len(result.scores)
            if not (math.isfinite(score) and math.isfinite(norm)):
                what = "score" if not math.isfinite(score) else "gradient"
                raise AscentStopped(
                    f"the {what} is not a finite number at step {step}; "
                    "try a smaller learning_rate, a smaller clip, or float64"
                )
            result.scores.append(score)
            if len(result.scores) >= PATIENCE and not any(result.scores[-PATIENCE:]):
                raise AscentStopped(
                    f"the score was exactly 0 bits for {PATIENCE} steps up to step {step}: "
                    "what the module makes does not vary, so there is no gradient; "
                    "try state noise, another seed, or other inputs"
                )

    def _open_store(self, resume: bool) -> Checkpoints | None:
        if self.directory is None:
            if resume:
                raise UserError("resume needs the directory that the checkpoints are in")
            return None
        run = {key: value for key, value in asdict(self.config).items() if key not in LOOKING}
        store = Checkpoints(self.directory, {**run, "seed": self.seed})
        if not resume and store.steps():
            raise UserError(
                f"expected an empty run directory, {self.directory} holds checkpoints; "
                "resume goes on from them"
            )
        return store

    def _restore(self, store: Checkpoints, result: Ascended) -> int:
        steps, cpu = store.steps(), torch.device("cpu")
        if not steps:
            return 0
        latest = store.load(steps[-1], self._device)
        kept = {s: store.load(s, cpu).module for s in steps if self.config.has_snapshot(s)}
        groups = self._optimizer.param_groups
        own = [{key: group[key] for key in ("lr", "capturable")} for group in groups]
        try:
            self.module.load_state_dict(latest.module)
            self._optimizer.load_state_dict(latest.optimizer)
        except (RuntimeError, ValueError, KeyError) as error:
            raise UserError(
                f"the checkpoint of step {steps[-1]} in {self.directory} is of another module: "
                + str(error).split("\n")[0]
            ) from None
        # A GPU's checkpoint keeps these as its graph needs them, and a CPU would refuse them.
        for group, options in zip(self._optimizer.param_groups, own, strict=True):
            group.update(options)
        result.snapshots.update(kept)
        result.scores[:] = latest.scores
        return latest.step

    def _save(self, store: Checkpoints | None, result: Ascended, step: int) -> None:
        state = self.module.state_dict()
        if self.config.has_snapshot(step):
            result.snapshots[step] = {name: v.detach().cpu().clone() for name, v in state.items()}
        if store is None:
            return
        store.save(Checkpoint(step, state, self._optimizer.state_dict(), result.scores))
        for other in store.steps():
            if other < step and not self.config.has_snapshot(other):
                store.path(other).unlink()
