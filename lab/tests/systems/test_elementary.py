import numpy as np
import pytest

from novelty_lab.systems.elementary import ElementaryRule, pack_cells, unique_rules, unpack_cells


def step_by_definition(number, ring):
    """Wolfram's definition, cell by cell: bit (4 left + 2 centre + right) of the number."""
    width = len(ring)
    return [
        (number >> (4 * ring[i - 1] + 2 * ring[i] + ring[(i + 1) % width])) & 1
        for i in range(width)
    ]


@pytest.mark.parametrize("number", range(256))
def test_every_rule_table_is_wolframs(number):
    rng = np.random.default_rng(number)
    for width in (1, 2, 3, 7, 64, 65):
        ring = rng.integers(0, 2, size=width, dtype=np.uint8)
        expected = step_by_definition(number, ring.tolist())
        assert ElementaryRule(number).step(ring).tolist() == expected


@pytest.mark.parametrize("number", range(256))
def test_packed_words_step_like_cells(number):
    rng = np.random.default_rng(number)
    rings = rng.integers(0, 2, size=(5, 64), dtype=np.uint8)
    rule = ElementaryRule(number)
    assert np.array_equal(
        unpack_cells(next(rule.iterate_words(pack_cells(rings)))), rule.step(rings)
    )


def test_there_are_88_classes_and_they_partition_the_rules():
    classes = {frozenset(ElementaryRule(number).equivalents()) for number in range(256)}
    assert len(classes) == 88
    assert sorted(rule for members in classes for rule in members) == list(range(256))
    assert unique_rules() == sorted(min(members) for members in classes)


def test_wolfram_classes_cover_the_88_and_agree_across_equivalents():
    sizes = dict.fromkeys((1, 2, 3, 4), 0)
    for number in unique_rules():
        sizes[ElementaryRule(number).wolfram_class] += 1
    assert sizes == {1: 8, 2: 65, 3: 11, 4: 4}
    assert ElementaryRule(137).wolfram_class == ElementaryRule(110).wolfram_class == 4


def test_ensembles_are_states_of_the_rule_after_a_burn_in_by_seed():
    rule = ElementaryRule(30)
    start = unpack_cells(rule.sample_words(6, 0, 1, 1)[0])
    (first, other) = (unpack_cells(x) for x in rule.sample_ensembles(6, 3, 4, [1, 2]))
    assert np.array_equal(first, np.concatenate([[rule.run(start, 3)[-1]], rule.run(start, 7)[3:]]))
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("number", [-1, 256, 1000])
def test_rule_numbers_out_of_range_are_refused(number):
    with pytest.raises(ValueError, match="0 to 255"):
        ElementaryRule(number)
