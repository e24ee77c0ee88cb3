"""Five hundred random scores beside a hundred digits; ``python -m stress oracle`` has more."""

from __future__ import annotations

from collections import Counter

import pytest

from stress.oracle import ROWS, STREAMS, judge

WAYS = (*ROWS, *STREAMS)
SHARES, CASES = 10, 50


@pytest.mark.parametrize("share", range(SHARES))
def test_every_score_is_right_or_refused_and_tame_ones_are_right(share):
    verdicts = Counter()
    for seed in range(CASES * share, CASES * (share + 1)):
        way, verdict, problem, said = judge(seed, WAYS)
        assert verdict != "wrong", (seed, way, said)
        if problem.tame and problem.ridge_penalty > 1e-4:
            assert verdict == "right", (seed, way, said)
        verdicts[verdict] += 1
    assert verdicts["right"] > 0.8 * CASES
