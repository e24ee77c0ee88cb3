"""The benchmarks run, and the two ways that each compares agree."""

import dataclasses
import json

import pytest
import torch

from benchmarks import __main__ as command
from benchmarks import (
    automata,
    chunks,
    dual,
    encoder,
    frames,
    life,
    moments,
    neural,
    null,
    online,
    scan,
    small,
)
from benchmarks.timing import Row, compare, faster, interleave, within
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


def test_automata_rows_count_all_scores():
    rows = automata.run(dataclasses.replace(TINY, draws=1), rules=(30, 110))
    assert [row.name.split()[0] for row in rows] == ["88", "88"]


@pytest.mark.slow
def test_one_thread_gives_the_scores_of_all_threads_and_a_scan_is_timed():
    plain, ours = scan.prepare(30)
    assert plain() == ours()
    rows = scan.run(40, 4)
    assert [row.met for row in rows[:2]] == [True, True]


def test_moments_and_qr_give_the_same_bits():
    ways = moments.prepare(500, 16, 4)
    assert float(ways["moments"]()) == pytest.approx(float(ways["qr"]()), rel=1e-10)
    assert ways["gram"]().shape == (16, 16)
    assert len(moments.run(500, 16, 4, repeats=1)) == 2


@pytest.mark.slow
def test_frames_are_timed_in_a_browser(browser):
    rows = frames.run(sites=64, frames=20)
    assert [row.ours > 0 for row in rows] == [True] * 4
    assert "64 sites, residual update, median of 20" in rows[0].name


def test_dual_and_qr_give_the_same_bits():
    plain, ours = dual.prepare(16, 64, 4)
    assert float(plain()) == pytest.approx(float(ours()), rel=1e-10)
    assert len(dual.run(16, 64, 4)) == 1


@pytest.mark.parametrize("collinear", [False, True])
def test_online_steps_agree_with_an_svd_per_stream(collinear):
    case = online.Case(2, 12, {}, collinear)
    plain, *ours = online.prepare(8, case, num_streams=3, num_pairs=40).values()
    for _ in range(40):
        expected = plain()
        for step in ours:
            torch.testing.assert_close(expected, step(), rtol=0, atol=1e-9)


def test_online_restores_the_number_of_threads():
    before = torch.get_num_threads()
    case = online.Case(3, 12, {"numpy": 1.0, "numba": 1.0})
    rows = online.run(8, (case,), num_streams=2, warm_up=3, repeats=1)
    assert torch.get_num_threads() == before
    assert len(rows) == len({1, before}) * len(online.BACKENDS)


def test_merged_chunks_are_the_moments_of_all_rows():
    merged = chunks.merged(20_000, 8, 3)
    features, targets = map(torch.cat, zip(*chunks.chunks(20_000, 8, 3), strict=True))
    whole = Moments.of(features, targets)
    assert merged.count == whole.count == 20_000
    torch.testing.assert_close(merged.gram, whole.gram)
    torch.testing.assert_close(merged.cross, whole.cross)
    assert len(chunks.run((1000, 4000), 8, 3, repeats=1)) == 2


def test_refits_agree_with_fresh_scores():
    plain, ours = null.prepare(300, 16, 4, nulls=5, floors=3)
    torch.testing.assert_close(plain(), ours(), rtol=1e-8, atol=1e-8)
    assert len(null.run(100, 8, 2, (100, 4, 9))) == 2


def test_more_targets_than_features_are_rearranged_the_same_way():
    plain, ours = null.prepare_many_targets(200, 8, 20, floors=3)
    torch.testing.assert_close(plain(), ours())


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


def test_functions_are_timed_in_turn():
    calls: list[str] = []
    interleave(lambda: calls.append("a"), lambda: calls.append("b"), repeats=2, calls=(1, 2))
    assert calls == list("ab" + "abb" * 2)
    assert compare("x", lambda: None, lambda: None, at_least=0, repeats=1).met


def test_command_writes_rows_and_machine(tmp_path, monkeypatch):
    row = Row("a", 2.0, 1.0, 2.0, "at least 1x faster", True)
    monkeypatch.setattr(command, "HERE", tmp_path)
    monkeypatch.setattr(dual, "run", lambda: [row])
    assert command.main(["--only", "dual", "--save"]) == 0
    for path in (tmp_path / "results.json", tmp_path / "out" / "results.json"):
        held = json.loads(path.read_text())
        assert held["rows"] == [dataclasses.asdict(row)]
        assert {"cores", "torch", "torch_threads"} <= set(held["machine"])


def test_dual_and_primal_encoder_steps_score_alike():
    plain, ours = encoder.prepare(16, 64)
    assert float(plain()) == pytest.approx(float(ours()), rel=1e-9)


def test_plain_and_folded_automaton_steps_both_score():
    small = NeuralConfig(batch=4, hidden=16, channels=16, burn_in=2, window=2)
    plain, ours = neural.plain_step(small, "cpu"), neural.our_step(small, "cpu")
    assert float(plain()) > 0
    assert float(ours()[0]) > 0


def test_without_a_gpu_there_is_no_step_to_time(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert neural.run() == []


def test_precision_moves_the_score_of_a_rule_by_rounding_only():
    small = NeuralConfig(batch=8, hidden=16, channels=16, burn_in=2, window=2)
    rule = neural.neural_automaton(small, "residual", 0)
    found = neural.scores_by_precision(small, rule, "cpu")
    assert found["float32"] == pytest.approx(found["float64"], abs=0.01)


def test_the_bonus_is_timed_beside_ppo_and_beside_an_svd_per_step(monkeypatch):
    from benchmarks import reward
    from novelty_lab.paper.table1_agents.training import PPOSettings

    small = PPOSettings(num_envs=2, n_steps=64, batch_size=32)
    monkeypatch.setattr(reward, "PPOSettings", lambda: small)
    beside, against, foreseen = reward.run(("Pendulum",), rollouts=1, episodes=2)
    assert foreseen.ratio > 0
    assert 0 < beside.ours == against.ours
    assert beside.ratio == pytest.approx(beside.ours / beside.plain)
    assert beside.met == (beside.ratio <= reward.AT_MOST)


def test_the_life_map_is_checked_and_timed():
    config = LifeConfig(grid=9, samples=2, burn_in=5, window=2, channels=4)
    assert life.check(config, "cpu")["wrong cells"] == 0
    assert life.profile(config, "cpu", 8)["rules a second and draw"] > 0


def test_the_profile_of_the_life_map_is_written_with_its_machine(tmp_path, capsys):
    path = tmp_path / "results-life.json"
    small = ["--config", "quick", "--channels", "4", "--rules", "8"]
    assert life.main([*small, "--save", str(path)]) == 0
    held = json.loads(path.read_text())
    assert held["check"]["wrong cells"] == 0
    assert held["device"].startswith("cpu")
    assert held["config"]["channels"] == 4
    assert all(share > 0 for share in held["shares"].values())
    assert str(path) in capsys.readouterr().out
