"""The benchmarks run, and the two ways that each compares agree."""

import dataclasses
import json

import pytest
import torch

from benchmarks import __main__ as command
from benchmarks import (
    automata,
    chunks,
    life,
    neural,
    null,
    online,
    small,
)
from benchmarks.timing import Row, faster, within
from learnable_novelty.observer.summary import Moments
from novelty_lab.paper.fig2_automata.automata import AutomatonConfig
from novelty_lab.paper.fig3_neural.neural import NeuralConfig
from novelty_lab.studies.life_map.life import LifeConfig

TINY = AutomatonConfig(samples=8, burn_in=20, window=4, channels=16, draws=2)


def test_counted_patterns_score_as_every_site_does():
    for rule in (30, 110):
        ours = automata.our_scores(TINY, rule)
        plain = [automata.plain_score(TINY, rule, draw) for draw in range(TINY.draws)]
        assert ours == pytest.approx(plain, rel=1e-9)


@pytest.mark.parametrize("collinear", [False, True])
def test_online_steps_agree_with_an_svd_per_stream(collinear):
    case = online.Case(2, 12, {}, collinear)
    plain, *ours = online.prepare(8, case, num_streams=3, num_pairs=40).values()
    for _ in range(40):
        expected = plain()
        for step in ours:
            torch.testing.assert_close(expected, step(), rtol=0, atol=1e-9)


def test_merged_chunks_are_the_moments_of_all_rows():
    merged = chunks.merged(20_000, 8, 3)
    features, targets = map(torch.cat, zip(*chunks.chunks(20_000, 8, 3), strict=True))
    whole = Moments.of(features, targets)
    assert merged.count == whole.count == 20_000
    torch.testing.assert_close(merged.gram, whole.gram)
    torch.testing.assert_close(merged.cross, whole.cross)


@pytest.mark.parametrize("noise", [0.3, 3.0, 100.0])
def test_the_p_value_of_a_small_score_is_that_of_fresh_fits(noise):
    plain, ours = small.prepare(60, noise, permutations=39)
    assert plain() == ours()


def test_rows_say_whether_the_requirement_is_met():
    assert faster("a", 4.0, 1.0, 2).met and not faster("a", 1.0, 1.0, 2).met
    assert within("a", 1.0, 1.5, 2).met and not within("a", 1.0, 3.0, 2).met
    assert faster("a", 4.0, 1.0, 2).ratio == within("a", 1.0, 4.0, 2).ratio == 4
    texts = [Row("a", 1, 1, 1, "", True).text(value) for value in (2.0, 2e-3, 2e-6, 2e-9)]
    assert texts == ["2 s", "2 ms", "2 us", "2 ns"]


def test_command_writes_rows_and_machine(tmp_path, monkeypatch):
    row = Row("a", 2.0, 1.0, 2.0, "at least 1x faster", True)
    monkeypatch.setattr(command, "HERE", tmp_path)
    monkeypatch.setattr(small, "run", lambda: [row])
    assert command.main(["--only", "small", "--save"]) == 0
    for path in (tmp_path / "results.json", tmp_path / "out" / "results.json"):
        held = json.loads(path.read_text())
        assert held["rows"] == [dataclasses.asdict(row)]
        assert {"cores", "torch", "torch_threads"} <= set(held["machine"])


def test_precision_moves_the_score_of_a_rule_by_rounding_only():
    small = NeuralConfig(batch=8, hidden=16, channels=16, burn_in=2, window=2)
    rule = neural.neural_automaton(small, "residual", 0)
    found = neural.scores_by_precision(small, rule, "cpu")
    assert found["float32"] == pytest.approx(found["float64"], abs=0.01)


def test_the_life_map_is_checked_and_timed():
    config = LifeConfig(grid=9, samples=2, burn_in=5, window=2, channels=4)
    assert life.check(config, "cpu")["wrong cells"] == 0
    assert life.profile(config, "cpu", 8)["rules a second and draw"] > 0


WAYS = {
    "null": lambda: null.prepare(300, 16, 4, nulls=5, floors=3),
    "many targets": lambda: null.prepare_many_targets(200, 8, 20, floors=3),
}


@pytest.mark.parametrize("name", WAYS)
def test_the_plain_way_and_ours_give_the_same(name):
    plain, ours = WAYS[name]()
    torch.testing.assert_close(plain(), ours(), rtol=1e-8, atol=1e-8)


QUICK = {
    "chunks": lambda: chunks.run((1000, 4000), 8, 3, repeats=1),
    "null": lambda: null.run(100, 8, 2, (100, 4, 9)),
}


@pytest.mark.parametrize("name", QUICK)
def test_a_benchmark_times_both_ways(name):
    assert all(row.plain > 0 and row.ours >= 0 for row in QUICK[name]())
