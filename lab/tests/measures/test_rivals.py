"""Each rival against an answer known without it."""

import math
from collections import Counter

import numpy as np
import pytest

from novelty_lab.measures.predictive import predictive_information
from novelty_lab.measures.prequential import prequential_code
from novelty_lab.measures.series import gzip_rate, permutation_entropy


def permutation_entropy_by_counting(values):
    """Count the patterns one by one, each as the order of (value, place)."""
    kinds = Counter(
        tuple(sorted(range(3), key=lambda place: (values[start + place], place)))
        for start in range(len(values) - 2)
    )
    shares = [count / sum(kinds.values()) for count in kinds.values()]
    return -sum(share * math.log2(share) for share in shares) / math.log2(6)


@pytest.mark.parametrize("levels", [2, 3, 40, 10**6])
def test_permutation_entropy_counts_patterns_and_orders_ties_as_they_come(levels):
    values = np.random.default_rng(levels).integers(0, levels, 400).astype(float)
    expected = permutation_entropy_by_counting(values.tolist())
    assert permutation_entropy(values[:, None]) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("exponent", [-1030, -664, -532, 531, 997, 1020])
def test_rivals_are_blind_to_the_unit_even_where_it_has_no_square(exponent):
    series = np.random.default_rng(4).standard_normal((120, 2)).cumsum(0)
    series = np.round(1024 * series) / 1024  # few digits, so that a subnormal unit keeps them
    moved, digits = np.ldexp(series, exponent), 1e-9
    assert np.array_equal(np.ldexp(moved, -exponent), series)
    for rival in (permutation_entropy, gzip_rate):
        assert rival(moved) == pytest.approx(rival(series), rel=digits), rival.__name__
    pairs, plain = (moved[:-1], moved[1:]), (series[:-1], series[1:])
    expected = predictive_information(*plain)
    assert predictive_information(*pairs) == pytest.approx(expected, rel=digits)
    assert predictive_information(pairs[0], plain[1]) == pytest.approx(expected, rel=digits)
    assert prequential_code(*pairs).total_bits == pytest.approx(
        prequential_code(*plain).total_bits, rel=digits
    )


@pytest.mark.parametrize("memory", [0.0, 0.5, 0.9])
def test_predictive_information_of_an_autoregression_is_its_closed_form(memory):
    generator = np.random.default_rng(0)
    noise = generator.standard_normal(200_000)
    series = np.empty_like(noise)
    series[0] = noise[0]
    for t in range(1, noise.size):
        series[t] = memory * series[t - 1] + math.sqrt(1 - memory**2) * noise[t]
    closed = -0.5 * math.log2(1 - memory**2)
    assert predictive_information(series[:-1], series[1:]) == pytest.approx(closed, abs=0.02)
    past = np.stack([series[:-3], series[1:-2]], axis=1)  # the last value is all that counts
    future = np.stack([series[2:-1], series[3:]], axis=1)
    assert predictive_information(past, future) == pytest.approx(closed, abs=0.02)


def test_prequential_code_of_coins_is_one_bit_each_and_holds_no_structure():
    generator = np.random.default_rng(0)
    x, coins = generator.standard_normal((600, 3)), generator.integers(0, 2, (600, 4))
    code = prequential_code(x, coins)
    assert code.values == 2400
    assert code.bits_per_value == pytest.approx(1.0, abs=0.03)
    assert abs(code.structure_bits) < 40
