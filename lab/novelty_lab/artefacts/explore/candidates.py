"""Bonuses under trial, named "kind:option=value,option=value"."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnable_novelty.reward import Array, Bonus, ObservationScale, RandomPlay, Step
from learnable_novelty.reward.rivals.e3b import Ellipsoids


class Foresight:
    """Pay for what a lifelong readout predicts and this episode has not shown.

    y^_t = W_a' h(o_t),    S_T = 1/2 log2 det(I + sum_t y^_t y^_t' / ridge)
    """

    def __init__(
        self,
        scale: ObservationScale,
        *,
        num_envs: int,
        action_dim: int,
        discrete: bool,
        seed: int,
        k: int = 64,
        ridge: float = 1.0,
        life: float = 30.0,
        every: int = 128,
        forget: float = 1.0,
        pay: str = "log",
        honest: str = "none",
        hidden: int = 0,
        what: str = "forecast",
        units: float = 0.0,
        center: int = 0,
        gate: float = 0.0,
        whiten: int = 0,
        trust: float = 0.0,
        recall: int = 0,
    ) -> None:
        random = np.random.default_rng(seed)
        self.scale, dim = scale, len(scale.mean)
        self.random_weights = random.standard_normal((dim, hidden)) / np.sqrt(dim)
        self.random_bias = random.standard_normal(hidden)
        m = 1 + dim + hidden + recall * dim
        self.recall = recall
        self.recalled, self.fresh = np.zeros((num_envs, dim)), np.ones(num_envs, bool)
        k = min(k, dim) if k else dim
        if k < dim:
            self.projection = np.linalg.qr(random.standard_normal((dim, k)))[0]
        else:
            self.projection = np.eye(dim)
        contexts = action_dim if discrete else 1
        if not discrete:
            m += action_dim
        self.discrete, self.gate, self.contexts = discrete, gate, contexts
        self.trust = trust
        self.life_gain = np.zeros((2, 2 * contexts))
        self.surprise, self.usual = np.zeros(num_envs), 1.0
        if gate:
            contexts *= 2
        self.gram = np.zeros((contexts, m, m))
        self.cross = np.zeros((contexts, m, dim))
        self.readout = np.zeros((contexts, m, dim))
        self.life, self.every, self.forget, self.payment = life, every, forget, pay
        self.honest, self.what = honest, what
        self.unit_floor, self.center = units, center
        self.count, self.number = np.zeros(contexts), 0.0
        self.mean_y = np.zeros((contexts, dim))
        self.signal = np.zeros(dim)
        self.spread = np.zeros(dim)
        self.weights = np.ones(dim)
        self.whiten = whiten
        if whiten:
            self.signal, self.spread = np.zeros((dim, dim)), np.zeros((dim, dim))
        self.mixing = self.projection
        self.ellipsoids = Ellipsoids(num_envs, k, ridge)
        self.buffer: list[tuple[Array, Array, Array]] = []
        self.envs = np.arange(num_envs)
        self.skill_num, self.skill_den = 0.0, 0.0
        self.stats = np.zeros(4)

    def pay(self, step: Step) -> Array:
        x, y_full = self.scale(step.observations), self.scale(step.next_observations)
        h = self.features(x, step.actions)
        context = step.actions.argmax(1) if self.discrete else np.zeros(len(x), np.int64)
        if self.gate:
            context = context + self.contexts * (self.surprise > self.gate * self.usual)
        forecast = self.forecast(h, context)
        if self.recall:
            self.recalled, self.fresh = np.clip(forecast, -10, 10), step.ended.copy()
        y = y_full
        if self.gate:
            self.surprise = np.square((y - forecast) * self.weights).mean(1)
            self.surprise[step.ended] = 0.0
            self.usual += 0.001 * (self.surprise.mean() - self.usual)
        trusted = 1.0
        if self.trust:
            trusted = 1 / (1 + self.surprise / (self.trust * self.usual))[:, None]
            self.surprise = np.square((y - forecast) * self.weights).mean(1)
            self.surprise[step.ended] = 0.0
            self.usual += 0.001 * (self.surprise.mean() - self.usual)
        if self.center:
            forecast = forecast - self.mean_y[context]
            y = y - self.mean_y[context]
        z = {"forecast": forecast, "seen": y}[self.what] @ self.mixing
        y = y @ self.mixing
        z = z * trusted
        inverses = self.ellipsoids.inverses
        cross = None
        if self.honest != "none":
            left = np.matmul(inverses, z[:, :, None])[:, :, 0]
            own, cross = (left * z).sum(1), (left * y).sum(1)
        bonus = self.ellipsoids.add(z)
        if self.payment == "log":
            bonus = 0.5 * np.log2(1 + bonus)
        if self.payment == "lev":
            bonus = bonus / (1 + bonus)
        if cross is not None:
            gain = 2 * cross - own
            if self.honest == "life":
                np.add.at(self.life_gain[0], context, gain)
                np.add.at(self.life_gain[1], context, own)
                self.life_gain *= 0.9998
                share = self.life_gain[0] / np.maximum(self.life_gain[1], 1e-9)
                bonus = bonus * np.clip(share, 0, 1)[context]
            else:
                q = gain / np.maximum(own, 1e-9)
                low = {"signed": -1.0, "clip": 0.0}[self.honest]
                bonus = bonus * np.clip(q, low, 1.0)
        if step.ended.any():
            self.ellipsoids.restart(step.ended)
        self.buffer.append((h, context, y_full))
        if len(self.buffer) == self.every:
            self._learn()
        return bonus

    def forecast(self, h: Array, context: Any) -> Array:
        out = np.empty((len(h), self.readout.shape[2]))
        for c in np.unique(context):
            mine = context == c
            out[mine] = h[mine] @ self.readout[c]
        return out

    def features(self, x: Array, actions: Array) -> Array:
        parts = [np.ones((len(x), 1)), x]
        if self.random_bias.size:
            parts.append(np.maximum(x @ self.random_weights + self.random_bias, 0))
        if self.recall:
            parts.append(np.where(self.fresh[:, None], x, self.recalled))
        if not self.discrete:
            parts.append(actions)
        return np.concatenate(parts, axis=1)

    def _learn(self) -> None:
        h, context, y = (np.concatenate(column) for column in zip(*self.buffer, strict=True))
        self.buffer = []
        self.gram *= self.forget
        self.cross *= self.forget
        self.count *= self.forget
        self.signal *= self.forget
        self.spread *= self.forget
        if self.unit_floor and self.count.sum() > 0:  # prequential: with the readout of before
            mean = self.mean_y[context]
            forecast = self.forecast(h, context) - mean
            self.number = self.forget * self.number + len(y)
            if self.whiten:
                self.signal += forecast.T @ forecast
                self.spread += (y - mean).T @ (y - mean)
                unit = (self.signal + self.unit_floor * self.spread) / self.number
                unit += 1e-3 * np.eye(len(unit))
                values, vectors = np.linalg.eigh(unit)
                self.mixing = vectors / np.sqrt(values) @ vectors.T @ self.projection
            else:
                self.signal += (forecast**2).sum(0)
                self.spread += ((y - mean) ** 2).sum(0)
                unit = self.signal + self.unit_floor * self.spread
                self.weights = np.sqrt(self.number / np.maximum(unit, 1e-3 * self.number))
                self.mixing = self.weights[:, None] * self.projection
        for c in range(len(self.gram)):
            mine = context == c
            if not mine.any():
                continue
            self.gram[c] += h[mine].T @ h[mine]
            self.cross[c] += h[mine].T @ y[mine]
            self.count[c] += mine.sum()
            self.mean_y[c] = self.cross[c][0] / self.gram[c][0, 0]
            ridge = self.gram[c] + self.life * np.eye(h.shape[1])
            self.readout[c] = np.linalg.solve(ridge, self.cross[c])

    def reset(self) -> None:
        self.ellipsoids.restart(slice(None))
        self.fresh[:] = True

    def state_dict(self) -> dict[str, Any]:
        raise NotImplementedError

    def load_state_dict(self, state: dict[str, Any]) -> None:
        raise NotImplementedError


KINDS = {"foresight": Foresight}


def make_candidate(name: str, play: RandomPlay, **sizes: Any) -> Bonus:
    """Read a name such as "foresight:k=64,pay=log"."""
    kind, _, text = name.partition(":")
    options: dict[str, Any] = {}
    for item in filter(None, text.split(",")):
        key, value = item.split("=")
        try:
            options[key] = int(value) if value.lstrip("-").isdigit() else float(value)
        except ValueError:
            options[key] = value
    clip = options.pop("clip", 10.0)
    scale = ObservationScale.of(play.observations, clip=clip)
    return KINDS[kind](scale, **sizes, **options)
