"""Ours: the noisy television and the dark room of section 2, built and lived in.

Agents walk a corridor of five rooms and are paid by a drive alone: surprise, its negative,
compression progress, the score, three rivals and foresight. Records where each
spends its time, along the training and after it; and what agents of fixed habits would be paid,
against the length of an episode, which tells what a drive asks for from what an agent learned.
The order of the rooms is drawn anew for every agent, and is the same under all drives.

Observer and PPO are those of appendix H. Agents paid one unit for every step in a given room spend
98% of their time there after this training, whichever the room. Three settings were settled in
trials: 16 pixels, for on 13 the automaton has an orbit of 351 states and is to this observer four
fifths as surprising as noise to the end; a clock for the agent, for without one it earns less
than a habit does; and fixed units of features (``Config.standardization``). On 8 pixels and
without the clock raw bits do not lead to the same room.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import numpy as np

from learnable_novelty.reward.accumulator import EPISODE
from learnable_novelty.reward.config import BitsConfig, Standardization
from learnable_novelty.reward.random_play import RandomPlay, play_randomly
from learnable_novelty.reward.sb3 import BonusReward, VecEnvAdapter
from learnable_novelty.seeds import split
from novelty_lab.context import RunContext, RunResult, deviation, mean_and_sd
from novelty_lab.paper.table1_agents.training import PPOSettings
from novelty_lab.settings import Settings, choice
from novelty_lab.studies.rooms.corridor import Corridor, make_corridors, with_clock
from novelty_lab.studies.rooms.drives import (
    DRIVES,
    FORESIGHT,
    LEARNER_DRIVES,
    make_drive,
)
from novelty_lab.studies.rooms.habits import ACTIONS, HABITS, habitual_steps
from novelty_lab.studies.rooms.world import ROOMS, shuffled_rooms

PAID_HABITS = ("surprise", "progress", "epiplexity")
"""Drives that habits are priced by: the others depend on what was seen in earlier episodes."""
PAPER_DRIVES = (*LEARNER_DRIVES, "rnd", "icm", "counts", FORESIGHT)
KIND = ("drive", "length", "pixels", "clock")
"""What agents that are averaged over have in common."""


@dataclass(frozen=True)
class Config(Settings):
    """Agents, their drives, and how long they live."""

    drives: tuple[str, ...] = choice(DRIVES, default=PAPER_DRIVES)
    """What agents are paid by."""
    agents: int = 10
    """Per drive and length."""
    corridor: Corridor = dataclasses.field(default_factory=Corridor)
    """Where agents of every drive live."""
    steps: int = 200_000
    """Of training, all environments together."""
    rollout: int = 1024
    """Steps of each environment between updates (table 4)."""
    window: int = 8
    """Observations predicted; what the rule of appendix H.2 finds in this corridor."""
    width: int = 32
    """Of the reservoir (appendix H.1)."""
    ridge_penalty: float = 0.3
    """lambda (appendix H.1)."""
    standardization: Standardization = "fixed"
    """Of features, by the moments under a random policy; with an episode's own moments so far the
    learner's predictions explode when an agent leaves a quiet room."""
    random_episodes: int = 64
    """Episodes of a random policy, for the units of observations."""
    evaluation_episodes: int = 32
    """Episodes of the trained agent; it draws its actions, as in training."""
    habit_lengths: tuple[int, ...] = (50, 100, 200, 500, 1000, 2000, 5000)
    """Lengths of an episode at which habits are priced."""


PAPER = Config()
QUICK = Config(
    drives=("surprise", "epiplexity", "counts"),
    agents=1,
    corridor=Corridor(length=40),
    steps=1024,
    rollout=64,
    random_episodes=8,
    evaluation_episodes=8,
    habit_lengths=(20, 60),
)


def run(config: Config, *, seed: int, context: RunContext) -> RunResult:
    """Train every agent, and price the habits."""
    corridor = config.corridor
    agents = {
        f"{drive}, {corridor}, agent {agent}": (config, drive, corridor, agent, seed)
        for drive in config.drives
        for agent in range(config.agents)
    }
    habits = {
        f"habits on {corridor.pixels} pixels, agent {agent}": (config, corridor.pixels, agent, seed)
        for agent in range(config.agents)
    }
    lives, priced = context.map(live, agents), context.map(price_habits, habits)
    along = np.array([life.pop("along") for life in lives.values()], dtype=np.float32)
    prices, shares = summarize_habits(priced.values()), summarize_shares(lives.values())
    results = {"rooms": list(ROOMS), "lives": list(lives.values())}
    return RunResult(results | {"shares": shares, "habits": prices}, arrays={"along": along})


def live(config: Config, drive: str, corridor: Corridor, agent: int, seed: int) -> dict[str, Any]:
    """Train one agent under a drive; return its shares of time in the rooms, along and after."""
    model, diary = train(config, drive, corridor, agent, seed)
    child = split(seed, "agent", agent)
    return {
        "drive": drive,
        **dataclasses.asdict(corridor),
        "agent": agent,
        "order": list(shuffled_rooms(child)),
        "share": time_in_rooms(model, config, corridor, child),
        "earned": diary.earned,
        "along": diary.shares,
    }


def train(config: Config, drive: str, corridor: Corridor, agent: int, seed: int) -> tuple[Any, Any]:
    """Train one agent under a drive; return it and its diary."""
    from stable_baselines3.common.vec_env import VecNormalize

    ppo, child = PPOSettings(n_steps=config.rollout), split(seed, "agent", agent)
    venv = make_corridors(corridor, ppo.num_envs, child)
    play = random_play(config, corridor, child)
    bonus = drive_for(config, drive, play, ppo.num_envs, child)
    venv.seed(split(child, "training episodes") % 2**31)
    # Every drive in units of the running spread of its discounted sums: one critic for all.
    paid = VecNormalize(
        with_clock(BonusReward(venv, bonus, weight=1.0, mode="replace"), corridor),
        norm_obs=False,
        gamma=ppo.gamma,
    )
    model = ppo.make_model(paid, split(child, "ppo") % 2**31)
    diary = make_diary()
    model.learn(config.steps, callback=diary)
    return model, diary


def random_play(config: Config, corridor: Corridor, seed: int) -> RandomPlay:
    """Play random episodes in corridors of their own."""
    world = VecEnvAdapter(make_corridors(corridor, PPOSettings.num_envs, seed))
    return play_randomly(world, episodes=config.random_episodes, seed=split(seed, "random play"))


def drive_for(config: Config, drive: str, play: RandomPlay, num_envs: int, seed: int) -> Any:
    """Make a drive; those of one seed have one reservoir."""
    learner = BitsConfig(
        config.window,
        config.width,
        config.ridge_penalty,
        config.standardization,
        targets="scaled",
    )
    child = split(seed, "drive")
    return make_drive(drive, play, learner, num_envs=num_envs, action_dim=ACTIONS, seed=child)


def make_diary() -> Any:
    """Make a callback that notes each rollout's shares of time, and what its last episodes paid."""
    from stable_baselines3.common.callbacks import BaseCallback

    class Diary(BaseCallback):
        def __init__(self) -> None:
            super().__init__()
            self.shares: list[list[float]] = []
            self.earned = 0.0
            self._visits, self._paid = np.zeros(len(ROOMS)), [0.0]

        def _on_rollout_start(self) -> None:
            self._visits, self._paid = np.zeros(len(ROOMS)), []

        def _on_step(self) -> bool:
            for info in self.locals["infos"]:
                self._visits[info["room"]] += 1
                if EPISODE in info:
                    self._paid.append(info[EPISODE]["score"])
            return True

        def _on_rollout_end(self) -> None:
            self.shares.append((self._visits / self._visits.sum()).tolist())
            if self._paid:
                self.earned = float(np.mean(self._paid))

    return Diary()


def time_in_rooms(model: Any, config: Config, corridor: Corridor, seed: int) -> list[float]:
    """Return the shares of time that a trained agent spends in the rooms, as in ``ROOMS``."""
    count = PPOSettings.num_envs
    venv = with_clock(make_corridors(corridor, count, seed), corridor)
    venv.seed(split(seed, "evaluation") % 2**31)
    observations, visits = venv.reset(), np.zeros(len(ROOMS))
    for _ in range(corridor.length * -(-config.evaluation_episodes // count)):
        actions, _ = model.predict(observations, deterministic=False)
        observations, _, _, infos = venv.step(actions)
        np.add.at(visits, [info["room"] for info in infos], 1)
    return (visits / visits.sum()).tolist()


def price_habits(config: Config, pixels: int, agent: int, seed: int) -> dict[str, Any]:
    """Return what each habit is paid by each drive, in bits, for each length of an episode."""
    child, longest = split(seed, "agent", agent), max(config.habit_lengths)
    play = random_play(config, dataclasses.replace(config.corridor, pixels=pixels), child)
    drives = {name: drive_for(config, name, play, len(HABITS), child) for name in PAID_HABITS}
    paid = {name: np.zeros((longest, len(HABITS))) for name in drives}
    for t, step in enumerate(habitual_steps(longest, pixels, child)):
        for name, drive in drives.items():
            paid[name][t] = drive.pay(step)
    at = np.array(config.habit_lengths) - 1
    bits = {name: values.cumsum(0)[at].T.tolist() for name, values in paid.items()}
    return {"pixels": pixels, "bits": bits}


def summarize_shares(lives: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Average the shares of time over agents, with their deviation."""
    rows: list[dict[str, Any]] = []
    for kind, group in itertools.groupby(lives, key=itemgetter(*KIND)):
        shares, earned = zip(*((life["share"], life["earned"]) for life in group), strict=True)
        paid = {"earned": float(np.mean(earned)), "earned_sd": float(deviation(earned))}
        rows.append(dict(zip(KIND, kind, strict=True)) | mean_and_sd(shares) | paid)
    return rows


def summarize_habits(priced: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Average what habits are paid over reservoirs and episodes, with the deviation."""
    rows: list[dict[str, Any]] = []
    for pixels, group in itertools.groupby(priced, key=itemgetter("pixels")):
        bits = [prices["bits"] for prices in group]
        for drive, (row, habit) in itertools.product(PAID_HABITS, enumerate(HABITS)):
            summary = mean_and_sd([paid[drive][row] for paid in bits])
            rows.append({"pixels": pixels, "drive": drive, "habit": habit, **summary})
    return rows
