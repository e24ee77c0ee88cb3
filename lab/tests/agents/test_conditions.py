"""A rival is one file: its label and colour reach the conditions by themselves."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import novelty_lab
from novelty_lab.paper.table1_agents.conditions import CONDITIONS, REWARDS
from novelty_lab.rivals.registry import RIVALS
from novelty_lab.studies.rooms.drives import DRIVE_LABELS, DRIVES

NEW = '''
"""A rival that pays one for every step."""
import numpy as np
from novelty_lab.rivals.rival import Rival


class Constant:
    def pay(self, step):
        return np.ones(len(step.ended))

    def reset(self): ...


RIVAL = Rival("constant", "ONE", "one for all", "#123456", "d", 9, lambda **_: Constant())
'''
TRY = """
from novelty_lab.rivals.registry import make_rival
from novelty_lab.paper.table1_agents.conditions import CONDITIONS, REWARDS
from novelty_lab.paper.table1_agents.training import PPOSettings, Reading, Training, train

print(REWARDS[-1], CONDITIONS["task+constant"])
ppo = PPOSettings(num_envs=1, n_steps=64, batch_size=32)
reading = Reading(random_episodes=1)
training = Training("Pendulum", "task+constant", 64, ppo, reading, 1)
print(train(training, seed=0)[1]["random_bonus"])
"""


def test_adding_a_rival_touches_one_file(tmp_path):
    shutil.copytree(Path(novelty_lab.__file__).parent, tmp_path / "novelty_lab")
    (tmp_path / "novelty_lab/rivals/constant.py").write_text(NEW)
    earlier = os.environ.get("PYTHONPATH", "")
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{earlier}"}
    done = subprocess.run(
        [sys.executable, "-c", TRY], capture_output=True, text=True, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr
    condition, bonus = done.stdout.splitlines()
    assert condition.startswith("task+constant Condition(label='task + ONE', colour='#123456'")
    assert float(bonus) == 200.0  # the length of an episode


def test_conditions_look_different_and_every_drive_has_a_label():
    assert len({(c.colour, c.marker) for c in CONDITIONS.values()}) == len(CONDITIONS)
    assert len({c.colour for c in CONDITIONS.values()}) == len(CONDITIONS)
    assert REWARDS[:4] == ("task", "epiplexity", "task+magnitude", "task+epiplexity")
    assert set(DRIVE_LABELS) == set(DRIVES)
    assert {f"task+{name}" for name in RIVALS} < set(REWARDS)
