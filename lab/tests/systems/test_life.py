"""Life-like automata: notations, known patterns, and packed words against the plain definition."""

import itertools
import re

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.tests.systems.life_patterns import placed, read_rle
from novelty_lab.systems.life import NUM_RULES, LifeRule
from novelty_lab.systems.life_batch import LifeBatch
from novelty_lab.systems.life_catalogue import named_rules, why_no_gliders

LIFE = LifeRule("B3/S23")

rules = st.integers(0, NUM_RULES - 1).map(LifeRule)
sides = st.integers(1, 130)


def cells_of(seed, *shape):
    return np.random.default_rng(seed).integers(0, 2, shape, dtype=np.uint8)


def by_definition(rule, cells):
    """Loop over cells and neighbours, with no array arithmetic."""
    height, width = cells.shape
    out = np.zeros_like(cells)
    for y, x in itertools.product(range(height), range(width)):
        steps = [s for s in itertools.product((-1, 0, 1), repeat=2) if s != (0, 0)]
        count = sum(int(cells[(y + dy) % height, (x + dx) % width]) for dy, dx in steps)
        out[y, x] = count in (rule.survival if cells[y, x] else rule.birth)
    return out


def test_codes_are_wolframs():
    # Life and HighLife by the code's definition: bit 2k + c.
    assert LIFE.number == 2**6 + 2**5 + 2**7
    assert LifeRule("B36/S23").number == 224 + 2**12
    assert LifeRule("B012345678/S012345678").number == NUM_RULES - 1


@given(rules)
def test_every_notation_reads_back(rule):
    assert LifeRule(str(rule)) == LifeRule(rule.number) == rule
    assert LifeRule.at(rule.birth_mask, rule.survival_mask) == rule
    assert LifeRule.of(rule.birth, rule.survival) == rule
    assert hash(LifeRule(str(rule))) == hash(rule)


@pytest.mark.parametrize(
    "text", ["B9/S23", "3", "224", "B3", "S23", "B33/S23", "Life", "", "B3/S2/3", "B3//S"]
)
def test_other_texts_are_refused_with_an_example(text):
    with pytest.raises(ValueError, match="B3/S23"):
        LifeRule(text)


def test_a_glider_moves_one_cell_diagonally_in_four_steps():
    glider = placed("glider", 70, 70, 66, 66)  # across both seams of the torus
    assert (LIFE.advance(glider, 4) == np.roll(glider, (1, 1), (0, 1))).all()
    assert not any((LIFE.advance(glider, k) == glider).all() for k in range(1, 4))
    ship = placed("lightweight spaceship", 20, 90, 8, 80)
    assert (LIFE.advance(ship, 4) == np.roll(ship, -2, 1)).all()


@settings(deadline=None, max_examples=40)
@given(rules, st.integers(1, 6), st.integers(1, 6), st.integers(0, 99))
def test_a_step_is_the_definition(rule, height, width, seed):
    cells = cells_of(seed, height, width)
    assert (rule.step(cells) == by_definition(rule, cells)).all()


@settings(deadline=None, max_examples=60)
@given(rules, st.integers(1, 9), sides, st.integers(0, 99))
def test_packed_words_step_as_plain_cells(rule, height, width, seed):
    cells = cells_of(seed, 2, height, width)
    states = rule.run(cells, 3)
    for state in states:
        cells = rule.step(cells)
        assert (state == cells).all()
    assert (rule.advance(cells_of(seed, 2, height, width), 3) == states[-1]).all()


@settings(deadline=None, max_examples=30)
@given(
    st.lists(rules, min_size=1, max_size=9),
    st.integers(1, 70),
    st.integers(1, 7),
    st.integers(1, 7),
    st.integers(0, 99),
)
def test_a_batch_steps_every_rule_as_by_itself(many, samples, height, width, seed):
    soups = cells_of(seed, samples, height, width)
    batch = LifeBatch.of(many, torch.from_numpy(soups))
    assert (batch.cells().numpy() == soups).all()
    later = batch.advance(3)
    for place, rule in enumerate(many):
        ours = later.cells(place, place + 1)[0].numpy()
        assert (ours == rule.advance(soups, 3)).all()
    assert torch.equal(later.cells(), batch.advance(1).advance(2).cells())


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_a_batch_on_a_gpu_is_the_batch_on_the_cpu():
    many = [LifeRule(int(code)) for code in np.random.default_rng(0).integers(NUM_RULES, size=99)]
    soups = torch.from_numpy(cells_of(1, 5, 31, 67))
    here, there = LifeBatch.of(many, soups), LifeBatch.of(many, soups.cuda())
    assert torch.equal(here.advance(20).cells(), there.advance(20).cells().cpu())


@settings(deadline=None)
@given(rules, st.integers(0, 99))
def test_the_complement_does_the_same_with_colours_exchanged(rule, seed):
    cells = cells_of(seed, 5, 9)
    assert (rule.complemented().step(1 - cells) == 1 - rule.step(cells)).all()
    assert rule.complemented().complemented() == rule


def test_every_glider_of_the_catalogue_moves():
    """Each pattern, alone in an empty torus, is itself again elsewhere after the period named."""
    found = [one for one in named_rules() if one.pattern]
    assert {"Oils", "Iceballs"} <= {one.name for one in found}
    for one in found:
        kind = re.search(r"period (\d+)", one.source)
        start = placed(read_rle(one.pattern), 96, 96, 40, 40)
        states = one.rule.run(start, int(kind[1]) if kind else 30)
        (where, shape), *later = (off_background(state) for state in [start, *states])
        moved = later[-1:] if kind else later
        assert any(place != where and of == shape for place, of in moved)


def off_background(cells):
    """Corner and shape of the cells that are not of the more frequent state."""
    places = np.argwhere(cells != (cells.mean() > 0.5))
    corner = places.min(0)
    return tuple(corner), [tuple(place) for place in places - corner]


def test_rules_without_gliders_grow_or_stay_in_their_box():
    proved = [one for one in named_rules() if one.gliders is False]
    assert {"Replicator", "Life without Death", "Vote", "Gnarl"} <= {one.name for one in proved}
    for one in proved:
        rule = one.rule.complemented() if 0 in one.rule.birth else one.rule
        seed = placed(cells_of(3, 5, 5) | np.eye(5, dtype=np.uint8), 41, 41, 18, 18)
        box = [np.flatnonzero(seed.any(axis)) for axis in (0, 1)]
        after = rule.advance(seed, 6)
        extents = [np.flatnonzero(after.any(axis)) for axis in (0, 1)]
        if "one neighbour" in one.source:
            assert all(
                e[0] == b[0] - 6 and e[-1] == b[-1] + 6 for e, b in zip(extents, box, strict=True)
            )
        elif "bounding box" in one.source:
            assert all(
                e.size == 0 or (e[0] >= b[0] and e[-1] <= b[-1])
                for e, b in zip(extents, box, strict=True)
            )
        else:
            assert (after >= seed).all()
    assert why_no_gliders(LIFE) is None
