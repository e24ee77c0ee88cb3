"""Ours: a latent model of two rooms plans to any goal; terms keep its code from collapsing.

A dot moves in two rooms, whose door is elsewhere in every episode. An encoder makes a code of each
frame, a predictor rolls it on under actions, and both learn from

    loss = mean squared difference of rolled and encoded codes + weight * term

on episodes of random walks. What lies behind the rooms differs by scene: nothing, white noise in a
quarter of the picture, large tiles that change with every frame, or that stay for an episode.
The cross-entropy method then plans in the space of codes from any place to any other. The weight
of each term is chosen by success in the first two scenes, after half as many steps.
"""

from __future__ import annotations

import dataclasses
import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import interpolate

from learnable_novelty.objective import EpiplexityLoss, effective_rank
from learnable_novelty.seeds import split
from novelty_lab.context import RunContext, RunResult, describe_device, mean_and_sd
from novelty_lab.settings import Settings, choice
from novelty_lab.studies.collapse.terms import sigreg, vicreg

SCENES = {"clean": (0, False), "white noise": (64, False), "tiles": (4, False), "fixed": (4, True)}
"""Cells along an edge of what lies behind the rooms, and whether it stays for an episode.

White noise fills a quarter of the picture, tiles all of it."""
WEIGHTS = {
    "S of the code": (1.0, 0.3, 3.0),
    "S of the next codes": (0.3, 0.1, 1.0),
    "S of the change": (1.0, 0.3, 3.0),
    "SIGReg": (0.1, 0.03, 0.3),
    "VICReg": (1.0, 0.1, 10.0),
}
MEASURES = ("success", "other room", "position", "door", "rank", "seconds")
STEP, REACH, WALL, DOOR = 0.08, 0.1, 0.05, 0.12
"""Of the world, whose edge is 1: a step, how near to a goal is there, half widths."""
HELD, MOVES, PLANS, ROUNDS, ELITES = 3, 8, 16, 5, 16
"""Of planning: actions are held for 3 steps, 8 are planned, the first is carried out, 16 times."""


@dataclass(frozen=True)
class Config(Settings):
    """How long, and how large."""

    scenes: tuple[str, ...] = choice(SCENES)
    """What lies behind the rooms."""
    steps: int = 2000
    """Gradient steps of every training."""
    seeds: int = 3
    """Trainings of each term in each scene."""
    episodes: int = 128
    """Of a batch."""
    frames: int = 8
    """Of an episode."""
    walks: int = 8192
    """Episodes that batches are drawn from, in new scenery every time."""
    starts: int = 512
    """Starts and goals to plan between."""
    candidates: int = 256
    """Plans in each of five rounds of the cross-entropy method."""
    channels: int = 32
    """Of the encoder's first layer."""
    code_dim: int = 32
    """Length of the code."""


PAPER = Config()
QUICK = Config(
    scenes=("clean", "tiles"),
    steps=4,
    seeds=1,
    episodes=8,
    walks=32,
    starts=8,
    candidates=16,
    channels=4,
)


def run(config: Config, *, seed: int, context: RunContext) -> RunResult:
    """Choose the weights, then train with each term in each scene."""
    tuned, short = config.scenes[:2], dataclasses.replace(config, steps=config.steps // 2)
    tried = context.map(
        train_and_plan,
        {
            f"choose {term}, {weight:g}, {scene}": (
                short, term, weight, scene, split(seed, "choose"), context.device
            )
            for k in range(3)
            for term, weights in WEIGHTS.items()
            for weight in weights[k : k + 1]
            for scene in tuned
        },
    )  # fmt: skip

    def success(term: str, weight: float) -> float:
        return sum(tried[f"choose {term}, {weight:g}, {scene}"]["success"] for scene in tuned)

    chosen = {"none": 0.0}
    chosen |= {term: max(each, key=lambda w: success(term, w)) for term, each in WEIGHTS.items()}
    done = context.map(
        train_and_plan,
        {
            f"{term}, {scene}, {k}": (
                config, term, weight, scene, split(seed, "run", k), context.device
            )
            for k in range(config.seeds)
            for scene in config.scenes
            for term, weight in chosen.items()
        },
    )  # fmt: skip
    table: dict[str, Any] = {}
    for scene in config.scenes:
        for term in chosen:
            each = [done[f"{term}, {scene}, {k}"] for k in range(config.seeds)]
            table.setdefault(scene, {})[term] = {
                m: {**mean_and_sd([one[m] for one in each]), "runs": len(each)} for m in MEASURES
            }
    results = {"tried": tried, "chosen": chosen, "runs": done, "table": table}
    return RunResult(results, device=describe_device(context.device))


def train_and_plan(
    config: Config, term: str, weight: float, scene: str, seed: int, device: str
) -> dict[str, float]:
    """Train a model in a scene, plan with it, and probe its code."""
    torch.manual_seed(seed)
    torch.cuda.manual_seed_all(seed)
    model = Model(config).to(device)
    against = make_term(term, split(seed, "observer"), device)
    fused = device.startswith("cuda")
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3, fused=fused)
    rate = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, 1e-3, max(2, config.steps + 1), pct_start=0.05, cycle_momentum=False
    )
    started = time.perf_counter()
    places, doors, moves = walk(config.walks, config.frames, device)
    for _ in range(config.steps):
        rows = torch.randint(config.walks, (config.episodes,), device=device)
        actions, behind = moves[rows], backdrops(scene, config.episodes, config.frames, device)
        frames = draw(places[rows], doors[rows, None], behind)
        codes = model.encode(frames.flatten(0, 1)).unflatten(0, frames.shape[:2])
        rolled = model.roll(codes[:, 0], actions)
        loss = (rolled - codes[:, 1:]).square().mean()
        if weight:
            loss = loss + weight * against(frames, actions, codes)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        rate.step()
    if fused:
        torch.cuda.synchronize()
    seconds = time.perf_counter() - started
    model.eval()
    return {**probed(model, scene, device), **planned(model, config, scene, device)} | {
        "seconds": round(seconds, 2)
    }


def make_term(term: str, seed: int, device: str) -> Callable[[Tensor, Tensor, Tensor], Tensor]:
    """Return a term of frames (episodes, frames, ...), actions and codes."""
    if term in ("SIGReg", "VICReg", "none"):
        of = sigreg if term == "SIGReg" else vicreg
        return lambda frames, actions, codes: of(codes.flatten(0, 1))
    loss = EpiplexityLoss(honest=not term.startswith("plain"), seed=seed).to(device)
    if term == "S of the next codes":
        return lambda frames, actions, codes: loss(
            frames[:, :-2].flatten(0, 1),
            torch.cat([codes[:, 1:-1], codes[:, 2:]], -1).flatten(0, 1),
            torch.cat([actions[:, :-1], actions[:, 1:]], -1).flatten(0, 1),
        )
    if term == "S of the change":  # what stays in an episode earns nothing
        return lambda frames, actions, codes: loss(
            (frames[:, 1:] - frames[:, :1]).flatten(0, 1),
            (codes[:, 1:] - codes[:, :1]).flatten(0, 1),
        )
    return lambda frames, actions, codes: loss(frames.flatten(0, 1), codes.flatten(0, 1))


def begin(episodes: int, device: str) -> tuple[Tensor, Tensor]:
    """Return places (episodes, 2) off the wall, and doors (episodes,)."""
    place = 0.05 + 0.9 * torch.rand(episodes, 2, device=device)
    place[:, 0] += torch.where(place[:, 0] < 0.5, -WALL, WALL)
    return place.clamp(0.05, 0.95), 0.2 + 0.6 * torch.rand(episodes, device=device)


def moved(place: Tensor, door: Tensor, action: Tensor) -> Tensor:
    """Move every dot; a wall stops it."""
    new = (place + STEP * action.clamp(-1, 1)).clamp(0.05, 0.95)
    side = torch.where(place[:, 0] < 0.5, -1.0, 1.0)
    passes = (torch.stack([place, new])[..., 1] - door).abs().amax(0) < DOOR
    # Who stands in the door moves along it, but not through its frame.
    near = torch.where((place[:, 0] - 0.5).abs() < WALL, place[:, 0], 0.5 + side * WALL)
    blocked = side * torch.maximum(side * new[:, 0], side * near)
    return torch.stack([torch.where(passes, new[:, 0], blocked), new[:, 1]], 1)


def walk(episodes: int, frames: int, device: str) -> tuple[Tensor, Tensor, Tensor]:
    """Return places (episodes, frames, 2), doors and actions of walks that keep their way."""
    place, door = begin(episodes, device)
    action, places, actions = torch.randn_like(place), [place], []
    for _ in range(frames - 1):
        place = moved(place, door, action)
        places.append(place)
        actions.append(action.clamp(-1, 1))
        action = 0.8 * action + 0.6 * torch.randn_like(action)
    return torch.stack(places, 1), door, torch.stack(actions, 1)


def backdrops(scene: str, episodes: int, frames: int, device: str) -> Tensor:
    """Draw what lies behind the rooms: (episodes, frames, 3, cells, cells)."""
    cells, stays = SCENES[scene]
    drawn = torch.randn(episodes, 1 if stays else frames, 3, cells or 1, cells or 1, device=device)
    return (0.15 * drawn + 0.3).clamp(0, 0.6).expand(-1, frames, -1, -1, -1) * (cells > 0)


def draw(place: Tensor, door: Tensor, behind: Tensor) -> Tensor:
    """Draw pictures (..., 3, 64, 64) of dots (..., 2) and doors (...), in front of backdrops."""
    grid = (torch.arange(64, device=place.device) + 0.5) / 64
    cells = behind.shape[-1]
    picture = interpolate(behind.flatten(0, -4), size=(64, 64)).view(*behind.shape[:-2], 64, 64)
    if cells == 64:
        picture = picture * (grid[:, None] < 0.5) * (grid < 0.5)
    opening = ((grid - door[..., None]).abs() < DOOR)[..., None]
    wall = ((grid - 0.5).abs() < 0.02) & ~opening
    squares = (grid - place[..., None]).square()
    dot = torch.exp(-(squares[..., 0, None, :] + squares[..., 1, :, None]) / (2 * 0.03**2))
    picture = torch.where(wall[..., None, :, :], 0.8, picture) * (1 - dot[..., None, :, :])
    red = torch.tensor([1.0, 0.0, 0.0], device=place.device)[:, None, None]
    return picture + dot[..., None, :, :] * red


class Model(nn.Module):
    """An encoder of frames, and a predictor of the next code."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        c, d = config.channels, config.code_dim
        sizes = (3, c, 2 * c, 4 * c, 4 * c)
        layers: list[nn.Module] = []
        for inside, outside in itertools.pairwise(sizes):
            layers += [nn.Conv2d(inside, outside, 4, 2, 1), nn.GroupNorm(4, outside), nn.ReLU()]
        layers += [nn.Flatten(), nn.Linear(64 * c, 256), nn.ReLU(), nn.Linear(256, d)]
        self.encoder = nn.Sequential(*layers)
        self.norm = nn.BatchNorm1d(d, affine=False)
        self.predictor = nn.Sequential(
            nn.Linear(d + 2, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, d)
        )

    def encode(self, frames: Tensor) -> Tensor:
        """Return codes of frames (num_frames, 3, 64, 64)."""
        with torch.autocast(frames.device.type, torch.bfloat16, enabled=frames.is_cuda):
            codes = self.encoder(frames)
        return self.norm(codes.float())

    def roll(self, code: Tensor, actions: Tensor) -> Tensor:
        """Return the codes (rows, steps, code_dim) that actions (rows, steps, 2) lead to."""
        codes: list[Tensor] = []
        for action in actions.unbind(1):
            code = code + self.predictor(torch.cat([code, action], 1))
            codes.append(code)
        return torch.stack(codes, 1)


@torch.no_grad()
def probed(model: Model, scene: str, device: str) -> dict[str, float]:
    """Return what a line reads of place and door from codes, and how many directions these use."""
    codes: list[Tensor] = []
    truth: list[Tensor] = []
    for _ in range(2):
        place, door = begin(2048, device)
        frames = draw(place, door, backdrops(scene, 2048, 1, device)[:, 0])
        codes.append(model.encode(frames).double())
        truth.append(torch.cat([place, door[:, None]], 1).double())
    mean = truth[0].mean(0)
    gram = codes[0].T @ codes[0] + 1e-3 * torch.eye(codes[0].shape[1], device=device)
    line = torch.linalg.solve(gram, codes[0].T @ (truth[0] - mean))
    error = (truth[1] - mean - codes[1] @ line).square().mean(0)
    share = (1 - error / truth[1].var(0)).tolist()
    return {
        "position": (share[0] + share[1]) / 2,
        "door": share[2],
        "rank": effective_rank(codes[1]),
    }


@torch.no_grad()
def planned(model: Model, config: Config, scene: str, device: str) -> dict[str, float]:
    """Plan from starts to goals in the space of codes; return the share that gets there."""
    n, k = config.starts, config.candidates
    (place, door), (goal, _) = begin(n, device), begin(n, device)
    behind = backdrops(scene, n, PLANS + 1, device)
    wanted = model.encode(draw(goal, door, behind[:, -1]))
    other = (goal[:, 0] - 0.5) * (place[:, 0] - 0.5) < 0
    mean = torch.zeros(n, MOVES, 2, device=device)
    for now in range(PLANS):
        code = model.encode(draw(place, door, behind[:, now])).repeat_interleave(k, 0)
        spread = torch.ones_like(mean)
        for _ in range(ROUNDS):
            plans = mean[:, None] + spread[:, None] * torch.randn(n, k, MOVES, 2, device=device)
            plans = plans.clamp(-1, 1)
            actions = plans.flatten(0, 1).repeat_interleave(HELD, 1)
            far = (model.roll(code, actions) - wanted.repeat_interleave(k, 0)[:, None]).square()
            cost = far.sum(2)
            cost = cost.mean(1).view(n, k)
            best = cost.topk(min(ELITES, k // 2), largest=False).indices
            elite = plans.gather(1, best[:, :, None, None].expand(-1, -1, MOVES, 2))
            mean, spread = elite.mean(1), elite.std(1) + 0.05
        for _ in range(HELD):
            place = moved(place, door, mean[:, 0])
        mean = torch.cat([mean[:, 1:], torch.zeros_like(mean[:, :1])], 1)
    there = (place - goal).norm(dim=1) < REACH
    return {
        "success": float(there.float().mean()),
        "other room": float(there[other].float().mean()),
    }
