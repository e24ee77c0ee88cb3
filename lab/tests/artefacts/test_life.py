"""The life map: scores against the plain observer, blocks, settings, ranks, and what it records."""

import dataclasses
import itertools
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from learnable_novelty.observer import reservoirs
from learnable_novelty.observer.observer import Observer
from novelty_lab import records
from novelty_lab.context import RunContext
from novelty_lab.studies.life_map import experiment as life_map
from novelty_lab.studies.life_map import life, look, results, stages
from novelty_lab.studies.life_map.life import LifeConfig, life_observer, score_rules, vary
from novelty_lab.studies.life_map.stages import (
    StageConfig,
    chosen_codes,
    map_codes,
    mean_excess,
    score_all,
    scores,
    some_codes,
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
            "bits": float(observer.bits(rows)),
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
        {"linear_last": False}, {"states": "binary"}, {"floor_repeats": 1}, {"null_repeats": 1},
    ],
)  # fmt: skip
def test_every_setting_changes_the_measures(change):
    before, after = (score_rules(c, CODES[:2], 0, 0) for c in (TINY, vary(TINY, **change)))
    assert any((before[name] != after[name]).any() for name in before)


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


values = st.lists(st.integers(-3, 3), min_size=2, max_size=20)


@settings(deadline=None)
@given(values, values)
def test_areas_are_the_share_of_pairs_in_order(positive, negative):
    above = np.mean([(p > n) + (p == n) / 2 for p in positive for n in negative])
    found = results.areas_under_curve(np.array(positive), np.array(negative))
    assert found == pytest.approx(above)


def test_intervals_are_students():
    stats = pytest.importorskip("scipy.stats")
    data = np.random.default_rng(0).standard_normal((8, 3))
    low, high = stats.t.interval(0.95, 7, data.mean(0), stats.sem(data, axis=0))
    np.testing.assert_allclose(results.half_widths(data), (high - low) / 2, rtol=1e-9)


def test_lambdas_are_those_of_the_rules():
    codes = np.random.default_rng(1).permutation(NUM_RULES)[:50]
    patterns = np.array(list(itertools.product((0, 1), repeat=9)), dtype=np.uint8).reshape(-1, 3, 3)
    # The centre of a 3 x 3 torus has all other cells for neighbours.
    expected = [LifeRule(int(code)).step(patterns)[:, 1, 1].mean() for code in codes]
    np.testing.assert_allclose(results.langton(codes), expected)


def test_agreement_of_draws_is_their_correlation():
    generator = np.random.default_rng(2)
    rules, draws = generator.standard_normal(5000), generator.standard_normal((2, 5000))
    values = 2 * rules + draws
    assert results.agreement(values) == pytest.approx(0.8, abs=0.02)
    assert results.agreement(values) == pytest.approx(np.corrcoef(values).min(), abs=0.01)
    assert results.agreement(values[:1]) is None
    assert results.agreement(np.ones((2, 5))) is None


def test_a_trail_is_the_age_of_the_last_sight():
    history = np.zeros((40, 9, 9), dtype=np.uint8)
    history[-1, 0, 0] = history[-5, 1, 1] = history[2, 2, 2] = 1
    ago = look.trail(history)
    assert ago[0, 0] == 0
    assert ago[1, 1] == 4
    assert ago[2, 2] == ago[8, 8] == look.TRAIL + 1


def test_sentences_say_what_was_measured():
    measures = {"density": 0.04, "activity": 0.03, "change_in_two": 0.001, "explained": 0.5}
    seen = {"still": 12.0, "oscillating": 3.0, "main_period": 2, "main_share": 0.6, "crowded": 0.0}
    kind = {"kind": "c/4 diagonal, period 4", "count": 18}
    looked = {"everywhere": seen, "kinds": [kind], "patches": []}
    assert look.describe(measures, looked) == (
        "4.0% of the cells live; 3.0% change at a step, nearly all of them back and forth; a frame "
        "holds 12 still lifes and 3 oscillators (mostly of period 2); moving: c/4 diagonal, period "
        "4 (18 seen); 50% of the next steps' variance read off one frame."
    )
    crowd = {"still": 0.0, "oscillating": 0.0, "main_period": 0, "main_share": 0.0, "crowded": 1.0}
    looked = {"everywhere": crowd, "kinds": [], "patches": [crowd]}
    text = look.describe(measures | {"activity": 0.0}, looked)
    assert "nothing changes; too crowded" in text


def test_a_typical_torus_is_the_median_of_those_with_a_pattern():
    generator = np.random.default_rng(0)
    tori = np.stack([generator.random((40, 40)) < share for share in (0.5, 0, 0.2, 1, 0.05)])
    # Entropies fall from the first to the last; the second and the fourth have no pattern.
    assert look.typical(tori.astype(np.uint8)) == 2
    assert look.typical(tori[[1, 3]].astype(np.uint8)) in (0, 1)
    assert look.typical(tori[[4, 0]].astype(np.uint8)) == 1


def test_a_name_more_changes_one_of_the_others(monkeypatch):
    before = set(some_codes(150, 0).tolist())
    fewer = named_rules()[:-1]
    monkeypatch.setattr(stages, "named_rules", lambda: fewer)
    after = set(some_codes(150, 0).tolist())
    assert len(before & after) >= 149


def test_negatives_are_the_others_or_those_proved():
    texts = ("B3/S23", "B2/S", "B36/S1", "B1/S1", "B14/S2", "B4/S2")
    codes = np.array([LifeRule(text).number for text in texts])
    named = [{"rule": "B3/S23", "gliders": True}, {"rule": "B2/S", "gliders": None}]
    measures = {
        name: np.arange(6.0)
        for name in ("excess", "bits", "compressed", "entropy", "lambda", "activity")
    }
    found = results.glider_areas(named, codes, codes, measures, 0)
    # B36/S1 may have gliders; one neighbour is enough, or four are needed, in the last three.
    assert {group: area["negatives"] for group, area in found["excess"].items()} == {
        "named": 1, "random": 4, "proved": 3,
    }  # fmt: skip
    assert found["excess"]["proved"]["area"] == 0


SMALL = dataclasses.replace(
    life_map.QUICK, grid=11, samples=2, burn_in=6, window=2, channels=4, rules=110,
    again_grid=13, again_draws=2, again_share=0.5, random_rules=94, gallery=2, steady_gallery=1,
    look_steps=30, look_period=8, look_patches=(1,),
)  # fmt: skip


def test_a_small_map_records_what_it_must():
    outcome = life_map.run(SMALL, seed=0, context=RunContext())
    found, arrays = outcome.results, outcome.arrays
    assert found["rules"] == 110
    assert len(found["named"]) == len(named_rules())
    assert len(found["gallery"]) == 2
    assert len(found["steady_gallery"]) == 1
    assert arrays["pictures"].shape == (3, 13, 13)
    names = {row["rule"] for row in found["named"]}
    assert not LifeRule(found["steady_gallery"][0]["rule"]).flashes
    for entry in found["gallery"] + found["steady_gallery"]:
        assert entry["rule"] not in names
        assert entry["complement"] not in names
    held = scores(SMALL, 0, RunContext())
    excess = mean_excess(held.measures)
    grain = found["grain"]
    recorded = arrays["bits"] * grain["bits"] - arrays["floor"] * grain["floor"]
    np.testing.assert_allclose(recorded, excess, atol=0.011)
    life_row = next(row for row in found["named"] if row["name"] == "Life")
    place = int(np.flatnonzero(held.codes == 224)[0])
    assert life_row["measures"]["excess"] == pytest.approx(excess[place])
    ties = (excess == excess[place]).sum()
    second = mean_excess(held.again)
    own = second[held.again_codes == 224]
    assert life_row["again_rank"] == 1 + (second > own).sum()
    assert life_row["ranks"]["excess"] == (excess > excess[place]).sum() + (ties + 1) / 2


def test_a_measure_that_does_not_fit_is_refused():
    held = scores(SMALL, 0, RunContext())
    held.measures["bits"][:] = 1e6
    with pytest.raises(ValueError, match="16 bits"):
        results.record_arrays(held, np.zeros((1, 2, 2), dtype=np.uint8))


def test_the_cells_of_the_committed_map_come_back_on_this_machine():
    """Its scores are of the older observer, but the cells are those of today."""
    record = records.load(Path(__file__).parents[3] / "results" / "life-map" / "paper-seed0")
    config, arrays, grain = life_map.PAPER, record.arrays, record.results["grain"]
    for rule in [LifeRule(text) for text in ("B3/S23", "B34/S34", "B01245/S123")]:
        states = [
            history_of(
                rule.number, config, life_observer(config, record.seed, k, "cpu").soups.numpy()
            )
            for k in range(config.draws)
        ]
        for name, ours in (
            ("density", np.mean([one.mean() for one in states])),
            ("activity", np.mean([(one[:, 1:] != one[:, :-1]).mean() for one in states])),
        ):
            held = grain[name] * arrays[name][rule.survival_mask, rule.birth_mask]
            assert ours == pytest.approx(held, abs=grain[name])


ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def committed():
    return records.load(ROOT / "results" / "life-map" / "paper-seed0")


def test_what_the_record_says_of_rules_is_what_the_catalogue_says(committed):
    rows = {row["rule"]: row for row in committed.results["named"]}
    assert set(rows) == {str(one.rule) for one in named_rules()}
    for one in named_rules():
        assert results.known(one).items() <= rows[str(one.rule)].items()


def test_the_committed_map_holds_what_the_docs_say():
    record = records.load(Path(__file__).parents[3] / "results" / "life-map" / "paper-seed0")
    found, arrays = record.results, record.arrays
    assert found["rules"] == NUM_RULES
    assert all(arrays[name].shape == (512, 512) for name in found["grain"])
    rows = {row["name"]: row for row in found["named"]}
    assert rows["Life"]["ranks"]["excess"] < 0.01 * NUM_RULES < rows["Life"]["ranks"]["bits"]
    medians = [row["excess"][1] for row in found["summary"]["by_change"]]
    assert 0 < int(np.argmax(medians)) < len(medians) - 1
    assert max(medians) > 2 * max(medians[0], medians[-1])
    assert all(LifeRule(entry["rule"]).flashes for entry in found["gallery"])
    for row in found["named"]:
        assert row["gliders"] is not False or not row["moving"]
