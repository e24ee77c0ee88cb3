"""A saved policy is weights: nothing in its file is ever run."""

import json
import pickle
import zipfile

import numpy as np
import pytest

from novelty_lab.paper.table1_agents.policy import load_policy, to_bytes
from novelty_lab.paper.table1_agents.training import (
    PPOSettings,
    Training,
    make_vec_env,
)

SMALL = Training("Pendulum", ppo=PPOSettings(num_envs=2, n_steps=64, batch_size=32))


class Bomb:
    def __reduce__(self):
        return pytest.fail, ("unpickled",)


@pytest.fixture
def saved(tmp_path):
    model = SMALL.ppo.make_model(make_vec_env("Pendulum", 2), 3)
    (tmp_path / "policy.zip").write_bytes(to_bytes(model))
    return model, tmp_path / "policy.zip"


def test_a_policy_read_back_acts_as_the_one_that_was_saved(saved):
    model, path = saved
    observations = np.random.default_rng(0).normal(size=(20, 3)).astype(np.float32)
    expected = model.predict(observations, deterministic=True)[0]
    loaded = load_policy(SMALL, path)
    assert np.array_equal(loaded.predict(observations, deterministic=True)[0], expected)


def test_a_pickle_in_a_policy_is_not_loaded_and_damage_is_refused(saved):
    _, path = saved
    with zipfile.ZipFile(path) as archive:
        held = {name: archive.read(name) for name in archive.namelist()}
    import base64

    bomb = base64.b64encode(pickle.dumps(Bomb())).decode()
    held["data"] = json.dumps({"policy_class": {":type:": "x", ":serialized:": bomb}}).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in held.items():
            archive.writestr(name, content)
    load_policy(SMALL, path)
    path.write_bytes(path.read_bytes()[:2000])
    with pytest.raises(ValueError, match="is damaged or of other settings; remove it"):
        load_policy(SMALL, path)
