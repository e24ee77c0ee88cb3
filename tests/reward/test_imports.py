"""The reward works with what is installed, and names the extra that is missing."""

import subprocess
import sys
import textwrap

import pytest

import learnable_novelty.reward as reward

BLOCK = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {blocked}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Blocked())
"""


def run(script, *blocked):
    code = BLOCK.format(blocked=blocked) + textwrap.dedent(script)
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def test_importing_the_reward_imports_neither_gymnasium_nor_stable_baselines3():
    done = run("""
        import learnable_novelty.reward, novelty_lab.rivals.registry
        assert not {"gymnasium", "stable_baselines3"} & set(sys.modules)
    """)
    assert done.returncode == 0, done.stderr


def test_gymnasium_alone_has_its_wrappers_and_the_others_name_the_extra():
    done = run(
        """
        import gymnasium
        from learnable_novelty.reward import NoveltyRewardVectorWrapper, NoveltyRewardWrapper

        env = NoveltyRewardWrapper(gymnasium.make("Pendulum-v1"), episodes=2)
        env.reset(seed=0)
        rewards = [env.step(env.action_space.sample())[1] for _ in range(40)]
        envs = NoveltyRewardVectorWrapper(gymnasium.make_vec("Pendulum-v1", num_envs=2), episodes=2)
        envs.reset(seed=0)
        assert envs.step(envs.action_space.sample())[1].shape == (2,)
        try:
            from learnable_novelty.reward import NoveltyReward
        except ModuleNotFoundError as error:
            print(error)
        """,
        "stable_baselines3",
    )
    assert done.returncode == 0, done.stderr
    assert "NoveltyReward needs the [rl] extra (stable_baselines3 is not" in done.stdout
    assert "pip install 'learnable-novelty[rl]'" in done.stdout
    assert len(done.stdout.splitlines()) == 1


def test_every_public_name_is_there_and_others_are_not():
    assert all(getattr(reward, name) is not None for name in reward.__all__)
    with pytest.raises(AttributeError, match="no attribute 'Payroll'"):
        _ = reward.Payroll
