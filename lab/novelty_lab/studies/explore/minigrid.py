"""MiniGrid compiled: many environments step at once, in layouts drawn by the real package.

``minigrid`` draws the layouts (their rooms, doors and keys), a pool per task that is kept in a
file. Steps, rewards and the egocentric view are compiled here, and equal those of ``minigrid`` 3.2
bit for bit (a test plays both side by side). About a hundred times as fast.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnable_novelty.errors import UserError, needs_extra
from learnable_novelty.reward.compiled import compiled
from learnable_novelty.storage import writing

EMPTY, WALL, DOOR, KEY, BALL, GOAL = 1, 2, 4, 5, 6, 8
"""Types of objects, as ``minigrid`` encodes them."""
KNOWN = (EMPTY, WALL, DOOR, KEY, BALL, GOAL)
LEFT, RIGHT, FORWARD, PICKUP, DROP, TOGGLE, DONE = range(7)
OPEN, CLOSED, LOCKED = range(3)
VIEW = 7
DX, DY = np.array([1, 0, -1, 0]), np.array([0, 1, 0, -1])
GREY = 5

TASKS = {
    "MultiRoom-N4-S5": "MiniGrid-MultiRoom-N4-S5-v1",
    "MultiRoom-N6": "MiniGrid-MultiRoom-N6-v0",
    "DoorKey-8x8": "MiniGrid-DoorKey-8x8-v0",
    "KeyCorridorS3R3": "MiniGrid-KeyCorridorS3R3-v0",
}

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Layouts:
    """Where episodes of a task begin."""

    grids: Bytes
    """Type, colour and state of every cell, (num_layouts, width, height, 3)."""
    agents: Ints
    """Column, row and direction of the agent, (num_layouts, 3)."""
    wanted: int
    """The type of object that ends the episode when it is picked up; 0 for none."""
    max_steps: int

    @classmethod
    def draw(cls, task: str, *, count: int, seed: int) -> Layouts:
        """Draw layouts of a task with ``minigrid``."""
        env: Any = make_real(task).unwrapped
        grids, agents = [], []
        for layout in range(count):
            env.reset(seed=seed + layout)
            grids.append(env.grid.encode())
            agents.append([*env.agent_pos, env.agent_dir])
        grid = np.stack(grids)
        unknown = set(np.unique(grid[..., 0]).tolist()) - set(KNOWN)
        if unknown:
            raise UserError(f"{task} holds objects that are not compiled, of types {unknown}")
        wanted = BALL if hasattr(env, "obj") else 0
        return cls(grid, np.array(agents), wanted, env.max_steps)

    @classmethod
    def pool(cls, task: str, folder: Path, *, count: int = 4000, seed: int = 0) -> Layouts:
        """Read the layouts of a task from a folder, drawing them where they are missing."""
        path = folder / f"{task}-{count}-{seed}.npz"
        if not path.exists():
            drawn = cls.draw(task, count=count, seed=seed)
            with writing(path) as file:
                np.savez_compressed(file, **vars(drawn))
        with np.load(path) as file:
            return cls(file["grids"], file["agents"], int(file["wanted"]), int(file["max_steps"]))


def make_real(task: str) -> Any:
    """Make the environment of ``minigrid``."""
    if task not in TASKS:
        raise UserError(f"expected a task, one of {', '.join(TASKS)}; got {task!r}")
    with needs_extra("MiniGrid", "minigrid"):
        import minigrid  # noqa: F401 - it registers its environments
    import gymnasium

    return gymnasium.make(TASKS[task])


@compiled
def look(grid: Bytes, agent: Ints, carried: Bytes, view: Bytes) -> None:
    """Write what an agent sees, (7, 7, 3); the agent is in the middle of the last column.

    The view looks along the agent's direction; ``view[i, j]`` is i - 3 cells to its right and
    6 - j cells ahead. A cell behind something opaque is hidden, and all zero.
    """
    width, height = grid.shape[0], grid.shape[1]
    ahead_x, ahead_y = DX[agent[2]], DY[agent[2]]
    right_x, right_y = -ahead_y, ahead_x
    for i in range(VIEW):
        for j in range(VIEW):
            right, ahead = i - VIEW // 2, VIEW - 1 - j
            x = agent[0] + ahead * ahead_x + right * right_x
            y = agent[1] + ahead * ahead_y + right * right_y
            if 0 <= x < width and 0 <= y < height:
                view[i, j] = grid[x, y]
            else:
                view[i, j, 0], view[i, j, 1], view[i, j, 2] = WALL, GREY, 0
    hide(view)
    view[VIEW // 2, VIEW - 1] = carried


@compiled
def hide(view: Bytes) -> None:
    """Zero the cells that cannot be seen: sight spreads row by row, away from the agent."""
    seen = np.zeros((VIEW, VIEW), dtype=np.bool_)
    seen[VIEW // 2, VIEW - 1] = True
    for j in range(VIEW - 1, -1, -1):
        for i in range(VIEW - 1):
            if seen[i, j] and not opaque(view[i, j]):
                seen[i + 1, j] = True
                if j > 0:
                    seen[i + 1, j - 1] = seen[i, j - 1] = True
        for i in range(VIEW - 1, 0, -1):
            if seen[i, j] and not opaque(view[i, j]):
                seen[i - 1, j] = True
                if j > 0:
                    seen[i - 1, j - 1] = seen[i, j - 1] = True
    for i in range(VIEW):
        for j in range(VIEW):
            if not seen[i, j]:
                view[i, j] = 0


@compiled
def opaque(cell: Bytes) -> bool:
    """Return whether a cell hides what is behind it."""
    return cell[0] == WALL or (cell[0] == DOOR and cell[2] != OPEN)


@compiled
def act(grid: Bytes, agent: Ints, carried: Bytes, action: int, wanted: int) -> bool:
    """Act in one environment; return whether the goal was reached."""
    x, y = agent[0] + DX[agent[2]], agent[1] + DY[agent[2]]
    cell = grid[x, y]
    if action == LEFT:
        agent[2] = (agent[2] + 3) % 4
    elif action == RIGHT:
        agent[2] = (agent[2] + 1) % 4
    elif action == FORWARD:
        if cell[0] == EMPTY or cell[0] == GOAL or (cell[0] == DOOR and cell[2] == OPEN):
            agent[0], agent[1] = x, y
        return cell[0] == GOAL
    elif action == PICKUP:
        if (cell[0] == KEY or cell[0] == BALL) and carried[0] == EMPTY:
            carried[:] = cell
            cell[0], cell[1], cell[2] = EMPTY, 0, 0
            return carried[0] == wanted
    elif action == DROP:
        if cell[0] == EMPTY and carried[0] != EMPTY:
            cell[:] = carried
            carried[0], carried[1], carried[2] = EMPTY, 0, 0
    elif action == TOGGLE and cell[0] == DOOR:
        if cell[2] == LOCKED:
            if carried[0] == KEY and carried[1] == cell[1]:
                cell[2] = OPEN
        else:
            cell[2] = CLOSED if cell[2] == OPEN else OPEN
    return False


@compiled
def step_all(
    grids: Bytes,
    agents: Ints,
    carried: Bytes,
    taken: Ints,
    actions: Ints,
    wanted: int,
    max_steps: int,
    rewards: NDArray[np.float64],
    terminated: NDArray[np.bool_],
    truncated: NDArray[np.bool_],
    views: Bytes,
) -> None:
    """Act in every environment, and look."""
    for env in range(len(grids)):
        taken[env] += 1
        won = act(grids[env], agents[env], carried[env], actions[env], wanted)
        rewards[env] = 1 - 0.9 * (taken[env] / max_steps) if won else 0.0
        terminated[env], truncated[env] = won, taken[env] >= max_steps
        look(grids[env], agents[env], carried[env], views[env])


class MiniGrids:
    """Parallel environments of one task.

    Args:
        layouts: where episodes begin.
        num_envs: how many environments.
        seed: of the choice of layouts.
    """

    def __init__(self, layouts: Layouts, *, num_envs: int, seed: int = 0) -> None:
        self.layouts, self.num_envs = layouts, num_envs
        self._random = np.random.default_rng(seed)
        shape = layouts.grids.shape[1:]
        self.grids = np.zeros((num_envs, *shape), np.uint8)
        self.agents = np.zeros((num_envs, 3), np.int64)
        self.carried = np.zeros((num_envs, 3), np.uint8)
        self.taken = np.zeros(num_envs, np.int64)
        self.views = np.zeros((num_envs, VIEW, VIEW, 3), np.uint8)
        self.rewards = np.zeros(num_envs)
        self.terminated = np.zeros(num_envs, bool)
        self.truncated = np.zeros(num_envs, bool)

    def reset(self, env: int, layout: int | None = None) -> None:
        """Begin an episode, in a layout drawn at random or in a given one."""
        chosen = self._random.integers(len(self.layouts.grids)) if layout is None else layout
        self.grids[env] = self.layouts.grids[chosen]
        self.agents[env] = self.layouts.agents[chosen]
        self.carried[env] = EMPTY, 0, 0
        self.taken[env] = 0
        look(self.grids[env], self.agents[env], self.carried[env], self.views[env])

    def step(self, actions: Ints) -> None:
        """Act; rewards, ends and views are attributes, written over at every step."""
        step_all(
            self.grids,
            self.agents,
            self.carried,
            self.taken,
            np.asarray(actions, dtype=np.int64),
            self.layouts.wanted,
            self.layouts.max_steps,
            self.rewards,
            self.terminated,
            self.truncated,
            self.views,
        )
