import itertools

import numpy as np
import pytest

from novelty_lab.meters.domain import find_domain, remove_domain
from novelty_lab.meters.solitons import measure_solitons
from novelty_lab.systems.elementary import ElementaryRule

SEEDS = range(3)
WIDTHS = [64, 256]
NOISE = 0.03
VELOCITIES = {64: [0.6, -0.4], 256: [0.5, -0.7, 1.0, -0.25]}


def automaton(number, width, seed, steps=512):
    cells = np.random.default_rng(seed).integers(0, 2, width, dtype=np.uint8)
    return ElementaryRule(number).run(cells, 300 + steps)[300:].astype(float)


def pulses(width, velocities, seed, steps=384):
    """Return Gaussian pulses (steps, width) and how often their world lines cross."""
    rng = np.random.default_rng(seed)
    starts = rng.uniform(0, width, len(velocities))
    centres = starts + np.outer(np.arange(steps), velocities)
    apart = (np.arange(width) - centres[..., None] + width / 2) % width - width / 2
    crossings = 0
    for i, j in itertools.combinations(range(len(velocities)), 2):
        rounds = np.floor((centres[[0, -1], i] - centres[[0, -1], j]) / width)
        crossings += int(abs(rounds[1] - rounds[0]))
    return np.exp(-0.5 * np.square(apart / 2)).sum(1), crossings


def unit(phase):
    return np.stack([np.cos(phase), np.sin(phase)], axis=1)


def over_background(pulse, background, seed):
    steps, width = pulse.shape
    t, x = np.arange(steps)[:, None], np.arange(width)
    noise = NOISE * np.random.default_rng(1000 + seed).standard_normal(pulse.shape)
    wave = 2 * np.pi * (x / 16 - t / 10)
    return {
        "plain": lambda: pulse + noise,
        "stripes": lambda: pulse + noise + 0.8 * np.cos(2 * np.pi * x / 8),
        "unit plain": lambda: unit(2 * pulse + noise),
        "unit stripes": lambda: unit(2 * pulse + noise + 2 * np.pi * x / 8),
        "unit wave": lambda: unit(2 * pulse + noise + wave),
        "unit turning": lambda: unit(2 * pulse + noise + 0.7 * t),
    }[background]()


BACKGROUNDS = ["plain", "stripes", "unit plain", "unit stripes", "unit wave", "unit turning"]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("background", BACKGROUNDS)
def test_pulses_travel_at_their_velocities_and_cross_as_often_as_they_do(background, width):
    velocities = VELOCITIES[width]
    for seed in SEEDS:
        pulse, crossings = pulses(width, velocities, seed)
        found = measure_solitons(over_background(pulse, background, seed))
        assert found.travelling > 0.9
        assert len(found.velocities) == len(velocities)
        measured = sorted(velocity for velocity, _ in found.velocities)
        assert measured == pytest.approx(sorted(velocities), abs=0.03)
        assert sum(share for _, share in found.velocities) == pytest.approx(
            found.travelling, abs=0.05
        )
        assert abs(found.crossings - crossings) <= 1


@pytest.mark.parametrize("number", [54, 110])
def test_particle_rules_travel(number):
    found = [measure_solitons(automaton(number, 256, seed)) for seed in SEEDS]
    assert min(one.travelling for one in found) > 0.4
    assert np.mean([one.travelling for one in found]) > 0.5
    assert min(one.crossings - one.chance_crossings for one in found) >= 1


def irrational_texture(kind, phase, bump):
    """Return waves whose periods are no whole number of steps, with kinks and pulses."""
    steps, width = bump.shape
    t, x = np.arange(steps)[:, None], np.arange(width)
    one = 2 * np.pi * (round(0.234 * width) * x / width - t / 3.37) + phase
    two = 2 * np.pi * (round(0.16 * width) * x / width + t / 7.71)
    bump = 2 * bump + NOISE * np.random.default_rng(99).standard_normal(bump.shape)
    return {
        "wave": lambda: np.cos(one) + bump,
        "unit wave": lambda: unit(one + bump),
        "lattice": lambda: np.cos(one) + np.cos(two) + bump,
        "unit lattice": lambda: unit(1.2 * np.cos(one) + 1.2 * np.cos(two) + bump),
        "unit turning lattice": lambda: unit(one + 1.5 * np.cos(two) + bump),
    }[kind]()


TEXTURES = ["wave", "unit wave", "lattice", "unit lattice", "unit turning lattice"]


@pytest.mark.parametrize("particle", ["pulse", "kink"])
@pytest.mark.parametrize("kind", TEXTURES)
def test_particles_travel_over_a_texture_of_irrational_period(kind, particle):
    velocities = VELOCITIES[256]
    bump, crossings = pulses(256, velocities, 0)
    phase = np.zeros_like(bump)
    if particle == "kink":
        # A whole turn at each particle, and back by a jump on the far side, which shows nothing.
        starts = np.random.default_rng(0).uniform(0, 256, len(velocities))
        centres = starts + np.outer(np.arange(len(bump)), velocities)
        apart = (np.arange(256) - centres[..., None] + 128) % 256 - 128
        phase, bump = np.pi * (1 + np.tanh(apart / 2)).sum(1), phase
    found = measure_solitons(irrational_texture(kind, phase, bump))
    assert found.travelling > 0.9
    measured = sorted(velocity for velocity, _ in found.velocities)
    assert measured == pytest.approx(sorted(velocities), abs=0.03)
    # Over lattices of two waves up to four crossings of pulses in ten are counted too many.
    assert crossings - 1 <= found.crossings <= 1.5 * crossings


def test_the_ether_of_rule_110_repeats_as_published():
    # 14 cells wide, and each row is the row before moved by four cells (Cook 2004).
    field = automaton(110, 256, 0)[:, None]
    domain = find_domain(field)
    assert len(domain.repeats) == 6
    assert all((sites + 4 * steps) % 14 == 0 for steps, sites in domain.repeats)
    assert (remove_domain(field, domain) == 0).mean() > 0.8


def summary(found):
    return np.array([found.travelling, found.standing, found.remaining, found.crossings])


FIELDS = {
    "unit pulses": lambda: over_background(pulses(128, [0.6, -0.4], 0)[0], "unit stripes", 0),
    "rule 54": lambda: automaton(54, 128, 0, 256)[:, None],
}


@pytest.mark.parametrize("name", FIELDS)
def test_place_scale_mirror_and_channel_order_do_not_matter(name):
    field = FIELDS[name]()
    plain = measure_solitons(field)
    mirrored = measure_solitons(field[..., ::-1])
    others = {
        "translated": measure_solitons(np.roll(field, 37, axis=-1)),
        "scaled": measure_solitons(-1e3 * field + 5),
        "swapped": measure_solitons(field[:, ::-1]),
        "mirrored": mirrored,
    }
    for change, found in others.items():
        assert summary(found) == pytest.approx(summary(plain), abs=0.03, rel=0.03), change
    if name == "unit pulses":
        assert [-velocity for velocity, _ in mirrored.velocities] == pytest.approx(
            [velocity for velocity, _ in plain.velocities], abs=0.01
        )
