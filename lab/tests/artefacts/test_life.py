"""The life map: scores against the plain observer, blocks, settings, ranks, and what it records."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from learnable_novelty.observer import reservoirs
from learnable_novelty.observer.observer import Observer
from novelty_lab import rank_correlation, records
from novelty_lab.context import RunContext
from novelty_lab.studies.life_map import analysis as life_analysis
from novelty_lab.studies.life_map import experiment as life_map
from novelty_lab.studies.life_map import life
from novelty_lab.studies.life_map import look as life_look
from novelty_lab.studies.life_map import results as life_results
from novelty_lab.studies.life_map import stages as life_stages
from novelty_lab.studies.life_map.life import LifeConfig, life_observer, score_rules, vary
from novelty_lab.studies.life_map.stages import (
    STUDY,
    StageConfig,
    chosen_codes,
    map_codes,
    mean_excess,
    places,
    random_codes,
    score_all,
    scores,
)
from novelty_lab.systems.life import NUM_RULES, LifeRule
from novelty_lab.systems.life_catalogue import named_rules

TINY = LifeConfig(
    grid=13, samples=4, burn_in=10, window=3, channels=8, draws=2, floor_repeats=2, null_repeats=2
)
CODES = [LifeRule(text).number for text in ("B3/S23", "B36/S125", "B/S", "B0123/S8", "B2/S")]


def history_of(code, config, soups):
    """States by the plain definition, (samples, window + 1, height, width)."""
    rule, cells = LifeRule(code), soups
    for _ in range(config.burn_in):
        cells = rule.step(cells)
    states = [cells]
    for _ in range(config.window):
        states.append(rule.step(states[-1]))
    return np.stack(states, axis=1)


def test_scores_are_those_of_the_plain_observer():
    held = life_observer(TINY, 5, 1, "cpu")
    found = score_rules(TINY, CODES, 5, 1)
    reservoir = held.torus.reservoir
    assert isinstance(reservoir, reservoirs.Conv2d)
    observer = Observer(reservoir, ridge_penalty=TINY.ridge_penalty)
    for place, code in enumerate(CODES):
        states = torch.from_numpy(history_of(code, TINY, held.soups.numpy())).double()
        rows = observer.rows(2 * states[:, :1] - 1, states[:, 1:])
        refit = observer.fit(rows)
        expected = {
            "bits": float(observer.bits_of_rows(rows)),
            "floor": float(refit.rearranged(refit.noise(), iter(held.floor_orders))[0].mean()),
            "null": float(refit.rearranged(refit.targets, iter(held.null_orders))[0].mean()),
            "explained": refit.explained_variance(),
        }
        for name, value in expected.items():
            assert found[name][place] == pytest.approx(value, abs=1e-4)


def test_densities_and_changes_are_counted():
    held = life_observer(TINY, 5, 0, "cpu")
    found = score_rules(TINY, CODES, 5, 0)
    for place, code in enumerate(CODES):
        states = history_of(code, TINY, held.soups.numpy())
        assert found["density"][place] == pytest.approx(states.mean())
        changed = (states[:, 1:] != states[:, :-1]).mean()
        assert found["activity"][place] == pytest.approx(changed)
        later = (states[:, 2:] != states[:, :-2]).mean()
        assert found["change_in_two"][place] == pytest.approx(later)
        patterns = np.stack(
            [np.roll(states[:, 0], (a, b), (1, 2)) for a in (-1, 0, 1) for b in (-1, 0, 1)], -1
        )
        _, counts = np.unique(patterns.reshape(-1, 9), axis=0, return_counts=True)
        share = counts / counts.sum()
        assert found["entropy"][place] == pytest.approx(-(share * np.log2(share)).sum(), abs=1e-9)


def test_empty_tori_compress_better_than_soups():
    empty, full = torch.zeros(1, 40, 40).byte(), torch.randint(0, 2, (1, 40, 40)).byte()
    packed = [life.pack_bits(cells).numpy() for cells in (empty, full)]
    assert (np.unpackbits(packed[1], bitorder="little")[:1600] == full.numpy().ravel()).all()
    (none,), (much,) = (life.compressed_bits(rows, 1600) for rows in packed)
    assert none < 0.1 < 0.9 < much


@pytest.mark.parametrize(
    "change",
    [
        {"grid": 12}, {"samples": 5}, {"density": 0.3}, {"burn_in": 11}, {"window": 4},
        {"channels": 9}, {"depth": 2}, {"ridge_penalty": 0.1}, {"resolution": 2.0},
        {"input_scale": 0.3}, {"states": "binary"}, {"floor_repeats": 1}, {"null_repeats": 1},
    ],
)  # fmt: skip
def test_every_setting_changes_the_measures(change):
    before, after = (score_rules(c, CODES[:2], 0, 0) for c in (TINY, vary(TINY, **change)))
    assert any((before[name] != after[name]).any() for name in before)


def test_rules_do_not_depend_on_their_company():
    together = score_rules(TINY, CODES, 0, 0)
    for place, code in enumerate(CODES):
        alone = score_rules(TINY, [code], 0, 0)
        for name, values in alone.items():
            assert values[0] == pytest.approx(together[name][place], abs=1e-9)


def test_the_map_lists_every_rule_at_its_masks():
    codes = map_codes()
    assert len(np.unique(codes)) == NUM_RULES
    for birth, survival in ((8, 12), (0, 511), (511, 0), (300, 77)):
        assert codes[survival, birth] == LifeRule.at(birth, survival).number


def test_some_rules_are_the_named_ones_and_others():
    some = chosen_codes(StageConfig(rules=120), 0)
    assert len(set(some)) == 120
    assert {one.rule.number for one in named_rules()} <= set(some.tolist())
    assert set(some) != set(chosen_codes(StageConfig(rules=120), 1))
    assert len(chosen_codes(StageConfig(), 0)) == NUM_RULES


def test_blocks_add_up():
    codes = np.array(CODES)
    whole, parts = (score_all(RunContext(), "map", TINY, codes, 0, block) for block in (99, 2))
    for name in ("bits", "floor", "null"):
        assert whole[name].shape == (2, len(codes))
        np.testing.assert_allclose(whole[name], parts[name], atol=1e-5)
    np.testing.assert_allclose(
        mean_excess(whole), (whole["bits"] - whole["floor"]).mean(0), atol=1e-6
    )


def test_the_study_varies_settings_that_exist():
    for axis, values in STUDY.items():
        for value in values:
            assert (
                getattr(vary(LifeConfig(), **{axis: value}), axis)
                == value
                != getattr(LifeConfig(), axis)
            )


values = st.lists(st.integers(-3, 3), min_size=2, max_size=20)


@settings(deadline=None)
@given(values, values)
def test_areas_are_the_share_of_pairs_in_order(positive, negative):
    above = np.mean([(p > n) + (p == n) / 2 for p in positive for n in negative])
    found = life_analysis.areas_under_curve(np.array(positive), np.array(negative))
    assert found == pytest.approx(above)


@settings(deadline=None)
@given(values)
def test_rank_correlation_is_scipys(first):
    stats = pytest.importorskip("scipy.stats")
    second = np.random.default_rng(len(first)).permutation(first)
    ours = rank_correlation.spearman(np.array(first, dtype=float), second.astype(float))
    if len(set(first)) > 1:
        assert ours == pytest.approx(stats.spearmanr(first, second).statistic, abs=1e-12)
    else:
        assert ours == 0


def test_intervals_are_students():
    stats = pytest.importorskip("scipy.stats")
    data = np.random.default_rng(0).standard_normal((8, 3))
    low, high = stats.t.interval(0.95, 7, data.mean(0), stats.sem(data, axis=0))
    np.testing.assert_allclose(life_analysis.half_widths(data), (high - low) / 2, rtol=1e-9)


def test_complements_are_found_among_codes():
    codes = np.random.default_rng(0).permutation(NUM_RULES)
    swapped = life_analysis.complement_codes(codes)
    for code, other in zip(codes[:50], swapped[:50], strict=True):
        assert LifeRule(int(code)).complemented().number == other
    assert (codes[places(codes, swapped)] == swapped).all()


def test_lambdas_are_those_of_the_rules():
    codes = np.random.default_rng(1).permutation(NUM_RULES)[:50]
    expected = [LifeRule(int(code)).langton_lambda for code in codes]
    np.testing.assert_allclose(life_analysis.langton(codes), expected)


def test_pairs_that_differ_by_chance_are_rarely_told_apart():
    generator = np.random.default_rng(1)
    first, second = generator.standard_normal((2, 4, 4000))
    found = life_analysis.compare_pairs(first, second)
    assert 0.03 < found["told_apart"] < 0.07
    shifted = life_analysis.compare_pairs(first, second + 5)
    assert shifted["told_apart"] > 0.9
    assert shifted["rms_difference"] == pytest.approx(5, abs=0.1)
    # The mean of four differences of variance two, whatever they are shifted by.
    assert found["mean_spread"] == pytest.approx((2 / 4) ** 0.5, rel=0.02)
    assert shifted["mean_spread"] == pytest.approx(found["mean_spread"])


def test_nothing_to_compare_differs_by_nothing():
    for first in (np.zeros((3, 4)), np.ones((1, 4))):
        found = life_analysis.compare_pairs(first, first)
        assert found["told_apart"] == found["rms_difference"] == found["mean_spread"] == 0


def test_agreement_of_draws_is_their_correlation():
    generator = np.random.default_rng(2)
    rules, draws = generator.standard_normal(5000), generator.standard_normal((2, 5000))
    values = 2 * rules + draws
    assert life_analysis.agreement(values) == pytest.approx(0.8, abs=0.02)
    assert life_analysis.agreement(values) == pytest.approx(np.corrcoef(values).min(), abs=0.01)
    assert life_analysis.agreement(values[:1]) is None
    assert life_analysis.agreement(np.ones((2, 5))) is None


def test_lempel_ziv_counts_phrases():
    # 1|0|11|010|00|10|1: seven phrases of the usual textbook string, the last one known.
    cells = np.array([int(c) for c in "1011010001" + "01"])
    phrases = 7
    assert life_look.lempel_ziv(cells) == pytest.approx(phrases * np.log2(phrases) / len(cells))
    constant = life_look.lempel_ziv(np.zeros(5000, dtype=int))
    random = life_look.lempel_ziv(np.random.default_rng(0).integers(0, 2, 5000))
    assert constant < 0.2 < 0.9 < random


def test_a_trail_is_the_age_of_the_last_sight():
    history = np.zeros((40, 9, 9), dtype=np.uint8)
    history[-1, 0, 0] = history[-5, 1, 1] = history[2, 2, 2] = 1
    ago = life_look.trail(history)
    assert ago[0, 0] == 0
    assert ago[1, 1] == 4
    assert ago[2, 2] == ago[8, 8] == life_look.TRAIL + 1


DOMAINS = {"count": 3, "covered": 0.99, "largest": 0.6, "walls": 0.2, "later_walls": 0.1,
           "at_walls": 0.9, "turned": 0.1, "steps": 398}  # fmt: skip


def looked(seen, domains=DOMAINS, kinds=(), patches=(), settled=0, uniform=0):
    return {
        "everywhere": seen, "patches": list(patches), "kinds": list(kinds), "domains": domains,
        "soups": 8, "settled": settled, "uniform": uniform,
    }  # fmt: skip


def test_sentences_say_what_was_measured():
    measures = {"density": 0.04, "activity": 0.03, "change_in_two": 0.001, "explained": 0.5}
    seen = {"still": 12.0, "oscillating": 3.0, "main_period": 2, "main_share": 0.6, "crowded": 0.0}
    kind = {"kind": "c/4 diagonal, period 4", "count": 18}
    text = life_look.describe(measures, looked(seen, kinds=[kind], settled=3, uniform=1))
    for part in (
        "4.0% of the cells live",
        "back and forth",
        "3 of 8 soups had come to rest, 1 of them empty or full",
        "3 domains of like cells cover 99% of the torus, the largest 60%",
        "0.2 sides of wall a cell, 50% less 398 steps later",
        "90% of what changes lies between domains",
        "12 still lifes and 3 oscillators (mostly of period 2)",
        "(18 seen)",
        "50%",
    ):
        assert part in text
    rare = life_look.describe(measures, looked(seen | {"main_share": 0.4}))
    assert "3 oscillators (40% of period 2)" in rare
    assert "rest" not in rare
    crowd = {"still": 0.0, "oscillating": 0.0, "main_period": 0, "main_share": 0.0, "crowded": 1.0}
    none = DOMAINS | {"count": 0, "covered": 0.0, "largest": 0.0}
    text = life_look.describe(measures | {"activity": 0.0}, looked(crowd, none, patches=[crowd]))
    assert "nothing changes" in text
    assert "too crowded" in text
    assert "no domain" in text
    one = life_look.describe(measures, looked(crowd, DOMAINS | {"count": 1, "later_walls": 0.2}))
    assert "one domain of like cells covers 99%" in one
    assert "later" not in one


def test_a_typical_torus_is_the_median_of_those_with_a_pattern():
    generator = np.random.default_rng(0)
    tori = np.stack([generator.random((40, 40)) < share for share in (0.5, 0, 0.2, 1, 0.05)])
    # Entropies fall from the first to the last; the second and the fourth have no pattern.
    assert life_look.typical(tori.astype(np.uint8)) == 2
    assert life_look.typical(tori[[1, 3]].astype(np.uint8)) in (0, 1)
    assert life_look.typical(tori[[4, 0]].astype(np.uint8)) == 1


def test_a_name_more_changes_one_of_the_others(monkeypatch):
    before = set(random_codes(150, map_codes().ravel(), 0).tolist())
    fewer = named_rules()[:-1]
    monkeypatch.setattr(life_stages, "named_rules", lambda: fewer)
    after = set(random_codes(150, map_codes().ravel(), 0).tolist())
    assert len(before & after) >= 149


def test_negatives_are_the_others_or_those_proved():
    texts = ("B3/S23", "B2/S", "B36/S1", "B1/S1", "B14/S2", "B4/S2")
    codes = np.array([LifeRule(text).number for text in texts])
    named = [{"rule": "B3/S23", "gliders": True}, {"rule": "B2/S", "gliders": None}]
    measures = {
        name: np.arange(6.0)
        for name in ("excess", "bits", "compressed", "entropy", "lambda", "activity")
    }
    parsed = dict.fromkeys(codes.tolist(), 1.0)
    found = life_results.glider_areas(named, codes, codes, measures, parsed, 0)
    # B36/S1 may have gliders; one neighbour is enough, or four are needed, in the last three.
    assert {group: area["negatives"] for group, area in found["excess"].items()} == {
        "named": 1, "random": 4, "proved": 3,
    }  # fmt: skip
    assert found["excess"]["proved"]["area"] == 0


SMALL = dataclasses.replace(
    life_map.QUICK, grid=11, samples=2, burn_in=6, window=2, channels=4, rules=110,
    again_grid=13, again_draws=2, again_share=0.5, random_rules=94, study_rules=92,
    study_axes=("density",), symmetry_rules=3, symmetry_draws=2, gallery=2, steady_gallery=1,
    look_steps=30, look_period=8, look_patches=(1,),
)  # fmt: skip


def test_a_small_map_records_what_it_must():
    outcome = life_map.run(SMALL, seed=0, context=RunContext())
    results, arrays = outcome.results, outcome.arrays
    assert results["rules"] == 110
    assert len(results["named"]) == len(named_rules())
    assert len(results["gallery"]) == 2
    assert len(results["steady_gallery"]) == 1
    assert arrays["pictures"].shape == (3, 13, 13)
    names = {row["rule"] for row in results["named"]}
    assert not LifeRule(results["steady_gallery"][0]["rule"]).flashes
    for entry in results["gallery"] + results["steady_gallery"]:
        assert entry["rule"] not in names
        assert entry["complement"] not in names
    held = scores(SMALL, 0, RunContext())
    excess = mean_excess(held.measures)
    grain = results["grain"]
    recorded = arrays["bits"] * grain["bits"] - arrays["floor"] * grain["floor"]
    np.testing.assert_allclose(recorded, excess, atol=0.011)
    life_row = next(row for row in results["named"] if row["name"] == "Life")
    place = int(np.flatnonzero(held.codes == 224)[0])
    assert life_row["measures"]["excess"] == pytest.approx(excess[place])
    ties = (excess == excess[place]).sum()
    second = mean_excess(held.again)
    own = second[held.again_codes == 224]
    assert life_row["again_rank"] == 1 + (second > own).sum()
    assert 1 <= life_row["ranks"]["lempel_ziv"] <= results["lempel_ziv_rules"] == 94
    assert life_row["ranks"]["excess"] == (excess > excess[place]).sum() + (ties + 1) / 2
    assert set(results["settings"]) == {"density=0.25", "density=0.75", "another draw"}
    assert set(results["complements"]) == {"signed", "binary"}


def test_a_measure_that_does_not_fit_is_refused():
    held = scores(dataclasses.replace(SMALL, study_axes=()), 0, RunContext())
    held.measures["bits"][:] = 1e6
    with pytest.raises(ValueError, match="16 bits"):
        life_results.record_arrays(held, np.zeros((1, 2, 2), dtype=np.uint8))


def test_the_committed_map_comes_back_on_this_machine():
    record = records.load(Path(__file__).parents[3] / "results" / "life-map" / "paper-seed0")
    config, arrays, grain = life_map.PAPER, record.arrays, record.results["grain"]
    chosen = [LifeRule(text) for text in ("B3/S23", "B34/S34", "B01245/S123")]
    found = [
        score_rules(vary(config), [rule.number for rule in chosen], record.seed, draw)
        for draw in range(config.draws)
    ]
    for name, unit in grain.items():
        for place, rule in enumerate(chosen):
            held = unit * arrays[name][rule.survival_mask, rule.birth_mask]
            if name == "excess_sd":
                ours = np.std([one["bits"][place] - one["floor"][place] for one in found], ddof=1)
            else:
                ours = np.mean([one[name][place] for one in found])
            # Another build of zlib may compress a little better or worse.
            slack = 0.05 * held if name == "compressed" else 0.0
            assert ours == pytest.approx(held, abs=unit + slack)


ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def committed():
    return records.load(ROOT / "results" / "life-map" / "paper-seed0")


def test_what_the_record_says_of_rules_is_what_the_catalogue_says(committed):
    rows = {row["rule"]: row for row in committed.results["named"]}
    assert set(rows) == {str(one.rule) for one in named_rules()}
    for one in named_rules():
        assert life_analysis.known(one).items() <= rows[str(one.rule)].items()


def test_the_committed_map_holds_what_the_docs_say():
    record = records.load(Path(__file__).parents[3] / "results" / "life-map" / "paper-seed0")
    results, arrays = record.results, record.arrays
    assert results["rules"] == NUM_RULES
    assert all(arrays[name].shape == (512, 512) for name in results["grain"])
    rows = {row["name"]: row for row in results["named"]}
    assert rows["Life"]["ranks"]["excess"] < 0.01 * NUM_RULES < rows["Life"]["ranks"]["bits"]
    medians = [row["excess"][1] for row in results["summary"]["by_change"]]
    assert 0 < int(np.argmax(medians)) < len(medians) - 1
    assert max(medians) > 2 * max(medians[0], medians[-1])
    assert all(LifeRule(entry["rule"]).flashes for entry in results["gallery"])
    complements = results["complements"]
    assert complements["map"]["told_apart"] < 0.07 < complements["binary"]["told_apart"]
    for row in results["named"]:
        assert row["gliders"] is not False or not row["moving"]
