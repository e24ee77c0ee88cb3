"""Gradient ascent on a score: any module that makes data, any observer.

    theta <- theta + AdamW( clip( grad_theta  scale * S(Y_theta | X) ) )

The randomness of a step is split off the seed by the number of the step, and the learning rate is
a function of it, so a run is its seed, its weights and its optimizer: nothing else to restore.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import torch
from torch import Tensor, nn

from learnable_novelty.errors import NumericalError, UserError
from learnable_novelty.seeds import split
from novelty_lab.ascent.checkpoints import Checkpoint, Checkpoints
from novelty_lab.ascent.config import AscentConfig
from novelty_lab.ascent.distributed import Ranks
from novelty_lab.ascent.graph import GraphedStep
from novelty_lab.ascent.interrupt import Interruption, deferred_interrupts
from novelty_lab.ascent.log import Log, open_log

Objective = Callable[[Tensor, Tensor], Tensor]
MakeBatch = Callable[[torch.Generator], tuple[Tensor, Tensor]]
Report = Callable[[int, int, float], None]
Stop = Callable[[Sequence[float]], bool]


class AscentStopped(NumericalError):
    """An ascent that cannot go on: the score is not a number, or stays at exactly zero."""


@dataclass
class Ascended:
    """What an ascent did."""

    scores: list[float] = field(default_factory=list)
    """Bits before each step, on the batch of that step."""
    gradient_norms: list[float] = field(default_factory=list)
    """Norm of the scaled gradient before clipping, one per step."""
    snapshots: dict[int, dict[str, Tensor]] = field(default_factory=dict)
    """State of the module by number of steps taken, on the CPU."""


class Ascent:
    """Climb a score.

    Args:
        module: what is trained, in place.
        objective: an ``Observer``, or any function of (inputs, targets) to maximize. If it has a
            ``process_group``, its ranks climb together: each makes its own samples of the batch,
            gradients are summed over ranks, and the first rank writes the checkpoints.
        make_batch: makes (inputs, targets) with the module, from a generator on its device.
        config: how to climb.
        seed: of the batches.
        directory: where checkpoints go; without one nothing is written.

    >>> from learnable_novelty.observer import Observer, reservoirs
    >>> encoder = nn.Linear(4, 2)
    >>> def make_batch(generator):
    ...     x = torch.randn(64, 4, generator=generator)
    ...     return x, nn.functional.normalize(encoder(x), dim=1)
    >>> observer = Observer(reservoirs.MLP(4, 16, 2), ridge_penalty=0.3)
    >>> result = Ascent(encoder, observer, make_batch, AscentConfig(steps=20)).run()
    >>> len(result.scores), sorted(result.snapshots)
    (20, [0, 20])
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
        self.seed = seed
        self.directory = directory
        parameters = [p for p in module.parameters() if p.requires_grad]
        if not parameters:
            raise UserError(f"{type(module).__name__} has no parameter to train")
        self._parameters = parameters
        self._device = parameters[0].device
        self._graphed: GraphedStep | None = None
        self._ranks = Ranks(getattr(objective, "process_group", None))
        graph = self._graph = (
            self.config.graph and self._device.type == "cuda" and self._ranks.alone
        )
        rate = torch.tensor(self.config.learning_rate, device=self._device) if graph else 0.0
        self._optimizer = torch.optim.AdamW(
            parameters, lr=rate, weight_decay=self.config.weight_decay, capturable=graph
        )

    def run(
        self, *, resume: bool = False, report: Report | None = None, stop: Stop | None = None
    ) -> Ascended:
        """Climb to the last step.

        Args:
            resume: go on from the latest checkpoint in the directory.
            report: called with steps done, steps to do, and the latest score.
            stop: called with all scores every ``check_every`` steps; true ends the climb there.

        Raises:
            AscentStopped: the score is not a number, or stays at exactly zero.
            KeyboardInterrupt: at Ctrl-C, after the present step has been finished and saved.
        """
        store = self._open_store(resume)
        result = Ascended()
        first = self._restore(store, result) if store is not None and resume else 0
        self._zeros = _trailing_zeros(result.scores)
        self._ranks.start_alike(self.module)
        self._ranks.wait()  # nobody writes before all have looked at what is there
        pending: list[tuple[Tensor, Tensor]] = []
        stopped = stop is not None and stop(result.scores)  # before it was cut off
        steps = range(0) if stopped else range(first, self.config.steps)
        logged = self.directory if self._ranks.rank == 0 else None
        with deferred_interrupts() as interrupts, open_log(logged) as log:
            for step in steps:
                if step == 0:
                    self._save(store, result, 0)
                pending.append(self._step(step))
                done = step + 1
                at_checkpoint = done % self.config.checkpoint_every == 0
                # Read once: an interrupt that comes later in this pass would not be saved by it.
                interrupted = self._ranks.any(bool(interrupts.requested), self._device)
                last = done == self.config.steps or interrupted
                if last or at_checkpoint or done % self.config.check_every == 0:
                    self._collect(result, pending, log)
                    stopped = stop is not None and stop(result.scores)
                    if report is not None:
                        report(done, self.config.steps, result.scores[-1])
                if last or stopped or at_checkpoint:
                    self._save(store, result, done)
                if interrupted or stopped:
                    break
            if self._ranks.any(bool(interrupts.requested), self._device):
                raise Interruption.of(interrupts, len(result.scores), self.directory)
        return result

    def _step(self, step: int) -> tuple[Tensor, Tensor]:
        rank = () if self._ranks.alone else (self._ranks.rank,)
        seed, rate = split(self.seed, "ascent", step, *rank), self.config.learning_rate_at(step)
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
        self._ranks.add_gradients(self._parameters)
        norm = nn.utils.get_total_norm(
            [p.grad for p in self._parameters if p.grad is not None], foreach=True
        )
        if config.clip is not None and config.clip_by == "norm":
            nn.utils.clip_grads_with_norm_(self._parameters, config.clip, norm, foreach=True)
        elif config.clip is not None:
            nn.utils.clip_grad_value_(self._parameters, config.clip)
        self._optimizer.step()
        self._ranks.average_buffers(self.module)
        return score.detach(), norm

    def _evaluate(self, inputs: Tensor, targets: Tensor, step: int) -> Tensor:
        try:
            return self.objective(inputs, targets)
        except (ValueError, torch.linalg.LinAlgError):  # pyright: ignore[reportPrivateImportUsage]
            finite = bool(torch.isfinite(inputs).all()) and bool(torch.isfinite(targets).all())
            if finite:
                raise
            raise AscentStopped(
                f"the batch of step {step} is not finite: the module diverged; "
                "try a smaller learning_rate or a smaller clip"
            ) from None

    def _collect(self, result: Ascended, pending: list[tuple[Tensor, Tensor]], log: Log) -> None:
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
            self._zeros = self._zeros + 1 if score == 0 else 0
            if self._zeros >= self.config.patience:
                raise AscentStopped(
                    f"the score was exactly 0 bits for {self._zeros} steps up to step {step}: "
                    "what the module makes does not vary, so there is no gradient; "
                    "try state noise, another seed, or other inputs"
                )
            log("score (bits)", score, step)
            log("gradient norm", norm, step)
            result.scores.append(score)
            result.gradient_norms.append(norm)

    def _open_store(self, resume: bool) -> Checkpoints | None:
        if self.directory is None:
            if resume:
                raise UserError("resume needs the directory that the checkpoints are in")
            return None
        # How often one looks and saves does not change the numbers, and may change on the way.
        free = {"checkpoint_every", "check_every", "patience", "graph"}
        run = {key: value for key, value in asdict(self.config).items() if key not in free}
        ranks = {} if self._ranks.alone else {"ranks": self._ranks.size}
        store = Checkpoints(self.directory, {**run, **ranks, "seed": self.seed})
        if not resume and store.steps():
            raise UserError(
                f"expected an empty run directory, {self.directory} holds checkpoints; "
                "resume goes on from them"
            )
        return store

    def _restore(self, store: Checkpoints, result: Ascended) -> int:
        steps = store.steps()
        if not steps:
            return 0
        latest = store.load(steps[-1], self._device)
        kept = {s: store.load(s, torch.device("cpu")).module for s in steps if self._keeps(s)}
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
        result.scores[:], result.gradient_norms[:] = latest.scores, latest.gradient_norms
        return latest.step

    def _keeps(self, step: int) -> bool:
        return step % self.config.checkpoint_every == 0 or step == self.config.steps

    def _save(self, store: Checkpoints | None, result: Ascended, step: int) -> None:
        if self._keeps(step):
            result.snapshots[step] = {
                name: value.detach().cpu().clone()
                for name, value in self.module.state_dict().items()
            }
        if store is None or self._ranks.rank > 0:
            return
        store.save(
            Checkpoint(
                step=step,
                module=self.module.state_dict(),
                optimizer=self._optimizer.state_dict(),
                scores=result.scores,
                gradient_norms=result.gradient_norms,
            )
        )
        for other in store.steps():
            if other < step and not self._keeps(other):
                store.remove(other)


def _trailing_zeros(scores: list[float]) -> int:
    return next((k for k, score in enumerate(reversed(scores)) if score != 0), len(scores))
