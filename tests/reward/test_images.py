"""Images are read by a frozen convolution, or by an encoder that is given."""

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium import spaces
from stable_baselines3.common.vec_env import DummyVecEnv

from learnable_novelty.errors import UserError
from learnable_novelty.reward import BitsConfig, NoveltyReward, NoveltyRewardWrapper
from learnable_novelty.reward.images import FrozenConvolution, ImageCodes
from learnable_novelty.reward.spaces import is_image


class Film(gymnasium.Env):
    """A white square that moves over a black screen, by the action."""

    def __init__(self, shape=(24, 24, 3), dtype=np.uint8, spoiled=-1):
        self.observation_space = spaces.Box(0, 255 if dtype == np.uint8 else 1, shape, dtype)
        self.action_space = spaces.Discrete(3)
        self.spoiled = spoiled

    def show(self):
        image = np.zeros(self.observation_space.shape, self.observation_space.dtype)
        high = self.observation_space.high.max()
        if image.shape[0] == 3:
            image[:, self.place : self.place + 4, 4:8] = high
        else:
            image[self.place : self.place + 4, 4:8] = high
        if self.taken == self.spoiled:
            image[0, 0] = np.nan
        return image

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.taken, self.place = 0, 8
        return self.show(), {}

    def step(self, action):
        self.taken += 1
        self.place = int(np.clip(self.place + int(action) - 1, 0, 20))
        return self.show(), 0.0, False, self.taken >= 30, {}


@pytest.mark.parametrize("bonus", ["bits", "foresight"])
@pytest.mark.parametrize("shape", [(24, 24, 3), (3, 24, 24), (24, 24), (24, 30, 1)])
def test_images_of_every_shape_are_rewarded(shape, bonus):
    venv = NoveltyReward(DummyVecEnv([lambda: Film(shape)] * 2), episodes=2, bonus=bonus)
    venv.reset()
    rng = np.random.default_rng(0)
    paid = np.stack([venv.step(rng.integers(0, 3, 2))[1] for _ in range(200)])
    assert len(venv.calibrated.scale.mean) == 128
    assert np.isfinite(paid).all() and paid[150:].any()


def test_bytes_and_numbers_in_the_unit_interval_have_the_same_code():
    image = np.random.default_rng(0).integers(0, 256, (2, 20, 20, 3), dtype=np.uint8)
    code = FrozenConvolution((20, 20, 3))
    assert code(image) == pytest.approx(code(image / np.float32(255)), abs=1e-5)
    first = FrozenConvolution((3, 20, 20))
    assert first(np.moveaxis(image, -1, 1)) == pytest.approx(code(image), abs=1e-5)
    assert np.abs(code(image)[0] - code(image)[1]).max() > 0.01


def test_an_encoder_takes_the_place_of_the_convolution(tmp_path):
    def brightness(images):
        return torch.from_numpy(images.reshape(len(images), -1).mean(1, keepdims=True))

    bits = BitsConfig(window=4)
    wrapped = NoveltyRewardWrapper(Film(), encoder=brightness, episodes=2, bonus=bits)
    assert len(wrapped.calibrated.scale.mean) == 1
    wrapped.save(tmp_path / "bonus.pt")
    again = NoveltyRewardWrapper.load(tmp_path / "bonus.pt", Film(), encoder=brightness)
    assert len(again.calibrated.scale.mean) == 1
    with pytest.raises(UserError, match="units of 128 numbers"):
        NoveltyRewardWrapper.load(tmp_path / "bonus.pt", Film())
    with pytest.raises(UserError, match=r"with Box.*24, 24, 3.* these have Box.*20, 24, 3"):
        NoveltyRewardWrapper.load(tmp_path / "bonus.pt", Film((20, 24, 3)), encoder=brightness)


@pytest.mark.parametrize(
    ("encoder", "sentence"),
    [
        ("resnet", "encoder must be a function of images, got str"),
        (lambda images: images, "one row of numbers per image"),
        (lambda images: np.zeros(len(images)), "one row of numbers per image"),
    ],
)
def test_an_encoder_that_is_none_is_refused(encoder, sentence):
    with pytest.raises(UserError, match=sentence):
        NoveltyRewardWrapper(Film(), encoder=encoder)


@pytest.mark.parametrize(
    ("shape", "dtype", "high"),
    [((7, 7, 3), np.uint8, 255), ((21, 79), np.int32, 5976), ((24, 24), np.float32, 1.0)],
)
def test_arrays_are_no_images_by_their_shape_alone(shape, dtype, high):
    space = spaces.Box(0, high, shape, dtype)
    assert not is_image(space, ImageCodes())
    assert is_image(space, ImageCodes(lambda images: images.reshape(len(images), -1)))
