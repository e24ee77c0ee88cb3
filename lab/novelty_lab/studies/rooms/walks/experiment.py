"""Ours: walks of trained agents through the rooms, and what pays for every step of them.

The page lets its reader walk the corridor of ``rooms``, and computes what every drive would have
paid. For that it needs what the drives of one agent are made of: the order of the rooms, the units
of observations, the reservoir, and the moments of its features. Recorded beside them: one episode
of an agent trained under each drive, as in ``rooms``, and what the drives that depend on this
episode alone would have paid for it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from learnable_novelty.reward import Step
from learnable_novelty.seeds import split
from novelty_lab.context import RunContext, RunResult, pack, unpack
from novelty_lab.settings import Settings, choice
from novelty_lab.studies.rooms.rooms import experiment as rooms
from novelty_lab.studies.rooms.rooms.corridor import make_corridors, with_clock
from novelty_lab.studies.rooms.rooms.drives import DRIVES, LEARNER_DRIVES
from novelty_lab.studies.rooms.rooms.habits import ACTIONS
from novelty_lab.studies.rooms.rooms.world import (
    ROOM_WIDTH,
    ROOMS,
    automaton_orbit,
    clock_faces,
    pendulum_waves,
    shuffled_rooms,
    unit_places,
)

PAYING = ("surprise", "progress", "epiplexity", "excess", "counts")
"""Drives whose payments depend on one episode alone; minus surprise is the negative of one, and
networks that are trained along with the agent (rnd, icm) pay by what they saw before."""


@dataclass(frozen=True)
class Config(Settings):
    """One agent of ``rooms`` under each drive."""

    rooms: rooms.Config = field(default_factory=rooms.Config)
    """The corridor, the training and the learner."""
    drives: tuple[str, ...] = choice(DRIVES, default=(*LEARNER_DRIVES, "rnd", "icm", "counts"))
    """Whose agents walk."""
    agent: int = 0
    """Which of the agents of ``rooms``."""


PAPER = Config()
QUICK = Config(rooms.QUICK, drives=("surprise", "excess"))


def run(config: Config, *, seed: int, context: RunContext) -> RunResult:
    """Train an agent under every drive, let it walk, and pay for the walk."""
    by_drive = context.map(walk, {drive: (config, drive, seed) for drive in config.drives})
    arrays = observer_of(config, seed)
    for name in ("observations", "paid"):
        arrays[name] = np.stack([unpack(walked[name]) for walked in by_drive.values()])
    child = split(seed, "agent", config.agent)
    results = {
        "drives": list(by_drive),
        "paying": list(PAYING),
        "rooms": list(ROOMS),
        "order": list(shuffled_rooms(child)),
        "shares": {drive: walked["share"] for drive, walked in by_drive.items()},
    }
    return RunResult(results, arrays=arrays)


def walk(config: Config, drive: str, seed: int) -> dict[str, Any]:
    """Train an agent under a drive; return its shares of time and one episode, paid for."""
    corridor = config.rooms.corridor
    model, _ = rooms.train(config.rooms, drive, corridor, config.agent, seed)
    child = split(seed, "agent", config.agent)
    venv = with_clock(make_corridors(corridor, 1, child), corridor)
    venv.seed(split(child, "walk") % 2**31)
    seen = [venv.reset()[0]]
    for _ in range(corridor.length):
        action, _ = model.predict(seen[-1][None], deterministic=False)
        following, _, ended, infos = venv.step(action)
        seen.append(infos[0]["terminal_observation"] if ended[0] else following[0])
    # Without the clock, which drives do not see; a wrapper adds it to the last one in infos too.
    observations = np.array([o[: 1 + corridor.pixels] for o in seen], dtype=np.float32)
    share = rooms.time_in_rooms(model, config.rooms, corridor, child)
    paid = payments(config, observations, seed)
    return {"share": share, "observations": pack(observations), "paid": pack(paid)}


def payments(config: Config, observations: np.ndarray, seed: int) -> np.ndarray:
    """Return what an episode (length + 1, dim) would have been paid, (num_paying, length)."""
    child = split(seed, "agent", config.agent)
    play = rooms.random_play(config.rooms, config.rooms.corridor, child)
    seen = observations.astype(np.float64)
    paid = []
    for name in PAYING:
        drive = rooms.drive_for(config.rooms, name, play, 1, child)
        paid.append([float(drive.pay(step)[0]) for step in _steps(seen)])
    return np.array(paid)


def _steps(seen: np.ndarray) -> list[Step]:
    action, going = np.eye(ACTIONS)[:1], np.zeros(1, bool)
    return [Step(seen[t : t + 1], action, seen[t + 1 : t + 2], going) for t in range(len(seen) - 1)]


def observer_of(config: Config, seed: int) -> dict[str, np.ndarray]:
    """Return what the drives of an agent are made of, and what the screens of its rooms show."""
    child, corridor = split(seed, "agent", config.agent), config.rooms.corridor
    play = rooms.random_play(config.rooms, corridor, child)
    drive: Any = rooms.drive_for(config.rooms, "excess", play, 1, child)
    online = drive.streams
    calibration = online.calibration
    assert calibration is not None  # the corridor's learner has fixed units
    weights = {name: value.numpy() for name, value in online.reservoir.state_dict().items()}
    return {
        **{f"reservoir_{name}": value for name, value in weights.items()},
        "unit_mean": drive.scale.mean,
        "unit_sd": drive.scale.sd,
        "feature_mean": calibration.feature_mean.numpy(),
        "feature_sd": np.sqrt(calibration.gram.diagonal().numpy() / float(calibration.count)),
        "target_mean": calibration.target_mean.numpy(),
        "signs": signs_of(online, corridor.length),
        "places": np.array(unit_places(len(ROOMS) * ROOM_WIDTH)),
        "orbit": automaton_orbit(corridor.pixels),
        "faces": clock_faces(corridor.pixels),
        "waves": pendulum_waves(corridor.pixels),
    }


def signs_of(online: Any, count: int) -> np.ndarray:
    """Return the signs that the floor of an episode draws, which it does in blocks."""
    state = online.state_dict()["signs"]
    generator = np.random.default_rng()
    generator.bit_generator.state = {k: v for k, v in state.items() if k != "used"}
    blocks = [generator.integers(0, 2, (64, 1)) for _ in range(-(-count // 64))]
    return (2 * np.concatenate(blocks)[:count, 0] - 1).astype(np.int16)
