"""The compiled MiniGrid against the real one, step by step."""

import numpy as np
import pytest

pytest.importorskip("minigrid")

from novelty_lab.studies.explore import minigrid as compiled


def path_to(env, wanted):
    """Return actions that lead the agent of a real environment beside the nearest wanted cell."""
    start = (*map(int, env.agent_pos), int(env.agent_dir))
    paths, queue = {start: []}, [start]
    for state in queue:
        x, y, facing = state
        dx, dy = int(compiled.DX[facing]), int(compiled.DY[facing])
        ahead = env.grid.get(x + dx, y + dy)
        if wanted(ahead):
            return paths[state]
        moves = {compiled.LEFT: (x, y, (facing + 3) % 4), compiled.RIGHT: (x, y, (facing + 1) % 4)}
        if ahead is None or ahead.can_overlap():
            moves[compiled.FORWARD] = (x + dx, y + dy, facing)
        for action, reached in moves.items():
            if reached not in paths:
                paths[reached] = [*paths[state], action]
                queue.append(reached)
    return None


def script(env):
    """Yield actions that solve the task, with pointless pick-ups, drops and toggles on the way."""
    C = compiled
    aims = [
        (lambda c: c is not None and c.type == "ball", [C.DROP, C.PICKUP]),
        (lambda c: c is not None and c.type == "goal", [C.DONE, C.FORWARD]),
        (lambda c: c is not None and c.type == "door" and c.is_locked, [C.TOGGLE, C.FORWARD]),
        (lambda c: c is not None and c.type == "key", [C.PICKUP, C.PICKUP, C.DROP, C.PICKUP]),
        (
            lambda c: c is not None and c.type == "door" and not c.is_open and not c.is_locked,
            [C.TOGGLE, C.TOGGLE, C.TOGGLE, C.PICKUP],
        ),
    ]
    while True:
        for wanted, then in aims:
            locked = then[0] == C.TOGGLE and len(then) == 2
            if (locked and env.carrying is None) or (then[0] == C.PICKUP and env.carrying):
                continue
            path = path_to(env, wanted)
            if path is not None:
                if then[0] == C.DROP and env.carrying:  # put the key down where there is room
                    yield from [C.LEFT, C.LEFT, C.DROP, C.LEFT, C.LEFT]
                    path = path_to(env, wanted) or []
                yield from [*path, *then]
                break
        else:
            yield C.DONE


@pytest.mark.parametrize("task", compiled.TASKS)
@pytest.mark.parametrize("kind", ["random", "scripted"])
def test_every_step_equals_that_of_minigrid(task, kind):
    count = 12
    layouts = compiled.Layouts.draw(task, count=count, seed=5)
    ours = compiled.MiniGrids(layouts, num_envs=1)
    real, random = compiled.make_real(task).unwrapped, np.random.default_rng(0)
    solved = 0
    for layout in range(count):
        observation, _ = real.reset(seed=5 + layout)
        ours.reset(0, layout)
        assert (ours.views[0] == observation["image"]).all()
        actions = script(real)
        ended = False
        while not ended:
            # A random walk that goes forward and toggles often gets somewhere.
            chances = [0.15, 0.15, 0.35, 0.1, 0.05, 0.15, 0.05]
            action = int(random.choice(7, p=chances)) if kind == "random" else next(actions)
            observation, reward, terminated, truncated, _ = real.step(action)
            ours.step(np.array([action]))
            assert (ours.views[0] == observation["image"]).all()
            assert ours.agents[0, 2] == observation["direction"]
            assert ours.rewards[0] == reward
            assert (ours.terminated[0], ours.truncated[0]) == (terminated, truncated)
            ended = terminated or truncated
        solved += terminated
    if kind == "scripted":
        assert solved > 0.5 * count
