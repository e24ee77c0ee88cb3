"""The meter of moving patterns: hand-made ones, noise, and what must not be counted."""

import numpy as np
import pytest

from lab.tests.systems.life_patterns import placed
from novelty_lab.meters.components import find_components
from novelty_lab.meters.gliders import measure_gliders
from novelty_lab.systems.life import LifeRule

LIFE = LifeRule("B3/S23")


def kinds(history, **options):
    return {str(kind): kind.count for kind in measure_gliders(history, **options).kinds}


@pytest.mark.parametrize("turns", range(4))
def test_a_glider_is_found_whichever_way_it_goes(turns):
    start = np.rot90(placed("glider", 40, 40, 30, 30), turns)
    found = measure_gliders(LIFE.run(start, 60))
    (glider,) = found.kinds
    assert (glider.period, glider.displacement, glider.count) == (4, (1, 1), 1)
    assert glider.heading == "diagonal"
    assert glider.speed == 0.25
    assert glider.pattern.sum() == 5
    assert found.still == found.oscillating == 0


def test_two_kinds_are_told_apart_and_counted():
    start = placed("glider", 60, 90) | placed("glider", 60, 90, 40, 20)
    start |= placed("lightweight spaceship", 60, 90, 20, 80)
    assert kinds(LIFE.run(start, 24)) == {
        "c/4 diagonal, period 4": 2,
        "c/2 orthogonal, period 4": 1,
    }


def test_a_glider_on_a_flashing_or_living_background_is_a_glider():
    anti = LIFE.complemented()
    history = anti.run(1 - placed("glider", 30, 30), 40)
    assert kinds(history) == {"c/4 diagonal, period 4": 1}
    flashing = LIFE.run(placed("glider", 30, 30), 40)
    flashing[1::2] = 1 - flashing[1::2]
    assert kinds(flashing) == {"c/4 diagonal, period 4": 1}


def test_still_lifes_and_oscillators_stand():
    start = placed("block", 40, 40) | placed("blinker", 40, 40, 15, 15)
    found = measure_gliders(LIFE.run(start, 50))
    assert found.kinds == []
    assert found.moving == 0
    # The last frames have not returned yet: a block is held to the last but one.
    assert 0.9 < found.still <= 1
    assert 0.9 < found.oscillating <= 1
    assert found.main_period == 2
    assert found.isolated > 0.9


def test_components_join_cells_two_apart_across_the_seams():
    cells = np.zeros((1, 12, 12), dtype=np.uint8)
    cells[0, 0, 0] = cells[0, 11, 10] = 1  # up one, left two
    cells[0, 5, 5] = cells[0, 5, 8] = 1  # three apart
    found = find_components(cells)
    assert sorted(found.size.tolist()) == [1, 1, 2]
    pair = int(np.flatnonzero(found.size == 2)[0])
    assert found.pattern(pair).tolist() == [[1, 0, 0], [0, 0, 1]]
    assert found.corner[pair].tolist() == [11, 10]
    singles = np.flatnonzero(found.size == 1)
    assert found.shape[singles[0]] == found.shape[singles[1]] != found.shape[pair]


def test_components_agree_with_scipy():
    ndimage = pytest.importorskip("scipy.ndimage")
    generator = np.random.default_rng(4)
    for density in (0.02, 0.06, 0.12):
        cells = np.zeros((1, 40, 44), dtype=np.uint8)
        cells[0, 3:-3, 3:-3] = generator.random((34, 38)) < density  # nothing across the seams
        near = np.ones((5, 5))
        label = np.zeros(cells[0].shape, dtype=int)
        count = 0
        for y, x in np.argwhere(cells[0]):
            if label[y, x]:
                continue
            count += 1
            grown = np.zeros_like(cells[0], dtype=bool)
            grown[y, x] = True
            while True:
                wider = ndimage.binary_dilation(grown, near) & (cells[0] == 1)
                if (wider == grown).all():
                    break
                grown = wider
            label[grown] = count
        expected = sorted(np.bincount(label[label > 0])[1:].tolist())
        assert sorted(find_components(cells).size.tolist()) == expected


def test_the_share_of_the_main_period_is_counted():
    # Three blinkers of period 2 and a pulsar of period 3, whose pieces are one component.
    start = placed("blinker", 80, 80) | placed("blinker", 80, 80, 20, 0)
    start |= placed("blinker", 80, 80, 40, 0)
    row, column = np.zeros((13, 13), dtype=np.uint8), [2, 3, 4, 8, 9, 10]
    for line in (0, 5, 7, 12):
        row[line, column] = row[column, line] = 1
    start |= placed(row, 80, 80, 55, 40)
    found = measure_gliders(LIFE.run(start, 40), max_period=8)
    assert found.main_period == 2
    # In the last frames of a history nothing can be seen to return: 2 of 40, and 3 of 40.
    assert found.oscillating == pytest.approx((3 * 38 + 37) / 40)
    assert found.main_share == pytest.approx(3 * 38 / (3 * 38 + 37))
