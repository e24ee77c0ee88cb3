"""Domains and walls: counted by a flood fill, cell by cell, and on hand-made tori."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novelty_lab.meters.walls import LARGE, measure_domains, regions, wall_length
from novelty_lab.systems.life import LifeRule

shapes = st.tuples(st.integers(0, 999), st.integers(2, 12), st.integers(2, 12))


def soup(seed, *shape):
    return np.random.default_rng(seed).integers(0, 2, shape, dtype=np.uint8)


def sides_of(y, x, height, width):
    return [((y + a) % height, (x + b) % width) for a, b in ((0, 1), (1, 0), (0, -1), (-1, 0))]


def flooded(cells):
    """Sizes of the regions of like cells, by a flood from every cell."""
    left, sizes = {(int(y), int(x)) for y, x in np.ndindex(cells.shape)}, []
    while left:
        front, size = [left.pop()], 0
        while front:
            here = front.pop()
            size += 1
            for there in sides_of(*here, *cells.shape):
                if there in left and cells[there] == cells[here]:
                    left.remove(there)
                    front.append(there)
        sizes.append(size)
    return sorted(sizes)


@settings(deadline=None)
@given(shapes)
def test_regions_are_those_of_a_flood(shape):
    cells = soup(*shape)
    assert sorted(np.bincount(regions(cells).ravel()).tolist()) == flooded(cells)


@settings(deadline=None)
@given(shapes)
def test_walls_are_counted_side_by_side(shape):
    cells = soup(*shape)
    met = [
        cells[y, x] != cells[there]
        for y, x in np.ndindex(cells.shape)
        for there in sides_of(y, x, *cells.shape)[:2]
    ]
    assert wall_length(cells) == pytest.approx(sum(met) / cells.size)


def test_a_soup_has_one_side_of_wall_a_cell():
    assert wall_length(soup(0, 400, 400)) == pytest.approx(1, abs=0.01)


def test_only_what_changes_between_domains_is_at_a_wall():
    history = np.zeros((4, 40, 40), dtype=np.uint8)
    history[:, 20:] = 1
    history[2:, 20, :10] = 0  # a dent in the wall: ten cells
    history[2:, 8, 8:13] = 1  # five cells within a domain
    found = measure_domains(history)
    assert (found.count, found.covered, found.largest) == (2, 1.0, 0.5)
    assert found.at_walls == pytest.approx(10 / 15)
    assert found.turned == pytest.approx(15 / 1600)
    assert found.steps == 2
    assert found.walls == pytest.approx(2 / 40)


def test_a_flashing_plane_is_compared_in_phase():
    start = np.zeros((30, 30), dtype=np.uint8)
    start[:, 15:] = 1
    for frames in (7, 8):
        history = np.stack([start ^ (t % 2) for t in range(frames)])
        found = measure_domains(history)
        assert found.turned == 0
        assert found.at_walls is None
        assert found.count == 2


def test_small_regions_are_no_domains():
    cells = np.zeros((20, 20), dtype=np.uint8)
    cells[0, : int(400 * LARGE) - 1] = 1
    found = measure_domains(np.stack([cells] * 3))
    assert found.count == 1
    cells[0, int(400 * LARGE) - 1] = 1
    assert measure_domains(np.stack([cells] * 3)).count == 2


def test_majority_shortens_its_walls():
    start = soup(3, 96, 96)
    found = measure_domains(LifeRule("B5678/S45678").run(start, 40))
    assert found.later_walls < found.walls


def test_short_histories_are_refused():
    with pytest.raises(ValueError, match="three frames"):
        measure_domains(np.zeros((2, 4, 4), dtype=np.uint8))
