"""Small environments whose every observation is known."""

import gymnasium
import numpy as np
from gymnasium import spaces


class Scripted(gymnasium.Env):
    """Shows the rows of a script one after the other; the reward is one per step.

    An episode ends after ``length`` steps, by itself or by a time limit, and the next one goes on
    with the following rows.
    """

    def __init__(self, script, length=20, truncates=False, space=None, actions=None):
        self.script = np.asarray(script, dtype=np.float64)
        self.length, self.truncates = length, truncates
        dim = self.script.shape[1]
        self.observation_space = space or spaces.Box(-np.inf, np.inf, (dim,), np.float64)
        self.action_space = actions or spaces.Discrete(2)
        self.row = -1
        self.taken = 0

    def show(self):
        self.row += 1
        return self.script[self.row % len(self.script)]

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.taken = 0
        return self.show(), {}

    def step(self, action):
        self.taken += 1
        over = self.taken >= self.length
        return self.show(), 1.0, over and not self.truncates, over and self.truncates, {}


class Drifting(gymnasium.Env):
    """A noisy oscillator that the action pushes; the reward is minus its energy."""

    def __init__(self, length=60, dictionary=False, discrete=False):
        self.length, self.dictionary = length, dictionary
        box = spaces.Box(-np.inf, np.inf, (2,), np.float64)
        clock = spaces.Box(-np.inf, np.inf, (1,), np.float64)
        self.observation_space = spaces.Dict({"state": box, "clock": clock}) if dictionary else box
        self.action_space = spaces.Discrete(3) if discrete else spaces.Box(-1, 1, (1,), np.float64)
        self.discrete = discrete

    def show(self):
        if not self.dictionary:
            return self.state.copy()
        return {"state": self.state.copy(), "clock": np.array([np.sin(0.3 * self.taken)])}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.taken, self.state = 0, self.np_random.standard_normal(2)
        return self.show(), {}

    def step(self, action):
        push = float(action) - 1.0 if self.discrete else float(action[0])
        x, v = self.state
        self.state = np.array([x + 0.2 * v, 0.98 * v - 0.2 * x + 0.1 * push])
        self.taken += 1
        return self.show(), -float(self.state @ self.state), False, self.taken >= self.length, {}
