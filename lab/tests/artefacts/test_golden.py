"""What experiments make of their tasks, against plain arithmetic on tasks of known results."""

import dataclasses
import math
from statistics import fmean, stdev

import numpy as np
import pytest
import torch
from scipy import stats

from novelty_lab.context import RunContext, pack
from novelty_lab.paper.app_a_criticality import experiment as criticality
from novelty_lab.paper.app_d_exact_readout import experiment as mdl
from novelty_lab.paper.app_f_flows import experiment as flows
from novelty_lab.paper.app_f_flows import temporal
from novelty_lab.paper.fig1_overview import experiment as overview
from novelty_lab.paper.fig2_automata import experiment as eca
from novelty_lab.paper.fig2_automata import scan as eca_scan
from novelty_lab.paper.fig3_neural import experiment as nca
from novelty_lab.paper.fig3_neural import scan as nca_scan
from novelty_lab.paper.fig4_encoder import experiment as encoder
from novelty_lab.paper.fig4_encoder import scan as encoder_scan
from novelty_lab.studies.calibration import experiment as calibration
from novelty_lab.studies.collapse import images, worldmodel
from novelty_lab.studies.rooms import experiment as rooms
from novelty_lab.studies.tables import experiment as tables


@pytest.fixture
def random():
    return np.random.default_rng(0)


def run(module, config):
    return module.run(config, seed=0, context=RunContext())


def place(scores, name):
    return 1 + sum(score > scores[name] for score in scores.values())


def test_the_ranking_of_the_automata(monkeypatch, random):
    drawn = {}

    def score_rule(config, rule, seed):
        kinds = ("bits", "floor", "denoised", "directions")
        drawn[str(rule)] = {kind: random.gamma(5, 5, 3).tolist() for kind in kinds}
        if rule == 0:
            drawn["0"]["bits"] = [0.0] * 3
        return drawn[str(rule)]

    monkeypatch.setattr(eca, "score_rule", score_rule)
    found = run(eca, dataclasses.replace(eca.QUICK, draws=3, inset_rules=(110,)))
    results = found.results
    means = {rule: fmean(draws["bits"]) for rule, draws in drawn.items()}
    excess = {rule: means[rule] - fmean(draws["floor"]) for rule, draws in drawn.items()}
    denoised = {rule: fmean(draws["denoised"]) for rule, draws in drawn.items()}
    assert found.scores == pytest.approx(means)
    for rule, draws in drawn.items():
        assert results["sd"][rule] == pytest.approx(stdev(draws["bits"]))
        assert results["floor"][rule] == pytest.approx(fmean(draws["floor"]))
        assert results["excess"][rule] == pytest.approx(excess[rule])
        assert results["denoised"][rule] == pytest.approx(denoised[rule])
        assert results["denoised_sd"][rule] == pytest.approx(stdev(draws["denoised"]))
        assert results["directions"][rule] == pytest.approx(fmean(draws["directions"]))
        assert results["rank_by_excess"][rule] == place(excess, rule)
        assert results["rank_by_denoised"][rule] == place(denoised, rule)
        assert results["ranking"][place(means, rule) - 1] == rule
    first, second = sorted(means.values())[:-3:-1]
    assert results["margin"] == pytest.approx(first - second)
    assert results["gap_54_30"] == pytest.approx(means["54"] - means["30"])
    assert results["rank_54"] == place(means, "54") and results["rank_30"] == place(means, "30")
    assert results["exactly_zero"] == ["0"]


def test_the_scan_of_the_automata(monkeypatch, random):
    drawn = {}

    def score_variants(variants, rule, seed, draws, window, samples):
        for name in variants:
            drawn.setdefault((name, str(rule)), random.gamma(5, 5, 3).tolist())
        return {name: drawn[name, str(rule)][:draws] for name in variants}

    monkeypatch.setattr(eca_scan, "score_variants", score_variants)
    results = run(eca_scan, dataclasses.replace(eca_scan.QUICK, draws=3, axes=("depth",))).results
    rules = {rule for _, rule in drawn}
    for name, cell in results["cells"].items():
        once = {rule: drawn[name, rule][0] for rule in rules}
        reference = [drawn["reference", rule][0] for rule in once]
        rest = max(bits for rule, bits in once.items() if rule != "110")
        assert cell["margin"] == pytest.approx(once["110"] - rest)
        assert cell["gap_54_30"] == pytest.approx(once["54"] - once["30"])
        assert cell["rank_30"] == place(once, "30") and cell["rank_110"] == place(once, "110")
        rho = stats.spearmanr(list(once.values()), reference).statistic
        assert cell["spearman"] == pytest.approx(rho)
        again = cell["first"] != "110" or once["54"] < once["30"]
        assert (name in results["rescored"]) == again
    for name, spread in results["rescored"].items():
        three = {rule: drawn[name, rule] for rule in rules}
        means = {rule: fmean(bits) for rule, bits in three.items()}
        assert spread["mean"] == pytest.approx(means)
        assert spread["sd"]["110"] == pytest.approx(stdev(three["110"]))
        gaps = [a - b for a, b in zip(three["54"], three["30"], strict=True)]
        assert spread["gap_54_30"] == pytest.approx(fmean(gaps))
        assert spread["gap_54_30_sd"] == pytest.approx(stdev(gaps))
        assert spread["ranks"]["54"] == place(means, "54")


def test_the_comparison_of_readouts(monkeypatch, random):
    drawn = {}

    def solve_rule(config, name, rule, seed):
        ridge = random.gamma(5, 5, 2)
        drawn[str(rule)] = solved = {
            "ridge": ridge.tolist(),
            "exact": (ridge + random.normal(3, 3, 2)).tolist(),
            "sweeps": random.integers(1, 99, 2).tolist(),
            "stationarity": random.random(2).tolist(),
            "restarts": random.random(2).tolist(),
        }
        return solved

    monkeypatch.setattr(mdl, "solve_rule", solve_rule)
    results = run(mdl, dataclasses.replace(mdl.QUICK, observers=("table 2",))).results["table 2"]
    ridge, exact = ({r: fmean(s[key]) for r, s in drawn.items()} for key in ("ridge", "exact"))
    assert results["ridge"] == pytest.approx(ridge) and results["exact"] == pytest.approx(exact)
    assert results["exact_sd"]["54"] == pytest.approx(stdev(drawn["54"]["exact"]))
    assert results["largest_ratio"] == pytest.approx(max(exact[r] / ridge[r] for r in ridge))
    pairs = [p for s in drawn.values() for p in zip(s["ridge"], s["exact"], strict=True)]
    assert (results["pairs"], results["pairs_exact_not_below"]) == (
        176,
        sum(b >= a for a, b in pairs),
    )
    assert results["rank_41"] == [place(ridge, "41"), place(exact, "41")]
    change = results["largest_rank_change"]
    assert change["from"] == place(ridge, change["rule"])
    moves = [abs(place(exact, rule) - place(ridge, rule)) for rule in ridge]
    assert abs(change["to"] - change["from"]) == max(moves)
    assert results["margin_exact"] == pytest.approx(
        exact["110"] - max(bits for rule, bits in exact.items() if rule != "110")
    )
    drift = max(abs(b - s["exact"][0]) for s in drawn.values() for b in s["restarts"])
    assert results["largest_restart_difference_bits"] == pytest.approx(drift)
    assert results["most_sweeps"] == max(max(s["sweeps"]) for s in drawn.values())


def test_the_scores_of_flows(monkeypatch, random):
    drawn, beside = {}, {}

    def score_flow(config, name, initial_sd, settle_time, seed):
        bits = random.gamma(5, 5, (3, 4)).tolist()
        return drawn.setdefault((name, initial_sd, settle_time), bits)

    def measure_flow(config, name, seed):
        values = dict(zip(flows.BESIDE_BITS, random.random(4).tolist(), strict=True))
        return beside.setdefault(name, values)

    monkeypatch.setattr(flows, "score_flow", score_flow)
    monkeypatch.setattr(flows, "measure_flow", measure_flow)
    found = run(flows, flows.QUICK)
    for name, flow in flows.BY_NAME.items():
        bits = drawn[name, flow.initial_sd, flow.settle_time]
        assert found.scores[name] == pytest.approx(fmean(bits[0]))
        assert found.results["sd"][name] == pytest.approx(stdev(bits[0]))
        assert found.results["ensemble_sd"][name] == pytest.approx(stdev(map(fmean, bits)))
        assert all(found.results[kind][name] == beside[name][kind] for kind in flows.BESIDE_BITS)
    for start in found.results["starts"]:
        bits = drawn[start["flow"], start["initial_sd"], start["settle_time"]]
        assert start["bits"] == pytest.approx(fmean(bits[0]))


def test_the_score_along_a_trajectory(monkeypatch):
    config = dataclasses.replace(temporal.QUICK, pairs=40, draws=2, checkpoints=3)
    curves = np.cumsum(np.random.default_rng(1).normal(1, 1, (2, 40)), axis=1)
    given = iter(curves)
    monkeypatch.setattr(temporal, "online_scores", lambda *_: next(given))
    monkeypatch.setattr(temporal.Observer, "__call__", lambda self, x, y: float(len(x)))
    followed = temporal.follow(config, "rotation", 0)
    counts = temporal.checkpoints(config)
    assert counts == [2, 9, 40]
    at = curves[:, [1, 8, 39]]
    assert followed["sd"] == pytest.approx(stdev(curves[:, -1]))
    np.testing.assert_allclose(followed["difference"], abs(at - counts).max(0))
    assert followed["batch_difference"] == pytest.approx(abs(at - counts).max())
    slopes = [(b - a) / n for a, b, n in zip(at.mean(0), at.mean(0)[1:], (7, 31), strict=False)]
    np.testing.assert_allclose(followed["rate"], slopes)
    steps = [b - a for curve in curves for a, b in zip([0, *curve], curve, strict=False)]
    assert followed["smallest_increment"] == pytest.approx(min(steps))
    assert followed["negative_share"] == pytest.approx(sum(s < 0 for s in steps) / len(steps))
    half, mean = curves[:, -1].mean() / 2, curves.mean(0)
    assert followed["half_pairs"] == 1 + next(k for k in range(40) if mean[k] >= half)


def test_what_a_stream_cost_to_learn(monkeypatch, random):
    paid = {
        name: {
            "bits": random.gamma(5, 1, (4, 120)).tolist(),
            "ideal": random.random((4, 120)).tolist(),
        }
        for name in overview.STREAMS
    }  # fmt: skip
    monkeypatch.setattr(overview, "surprise", lambda config, name, seed: paid[name])
    monkeypatch.setattr(overview, "grow", lambda config, axis, seed: {})
    results = run(overview, overview.QUICK).results
    for name, curve in paid.items():
        regret = [np.subtract(b, i) for b, i in zip(curve["bits"], curve["ideal"], strict=True)]
        stays = [fmean(one[90:]) if name == "a rule in noise" else 0.0 for one in regret]
        sums = [float((one - rest).sum()) for one, rest in zip(regret, stays, strict=True)]
        assert results["bits_above_floor"][name] == pytest.approx(fmean(sums))
        assert results["bits_above_floor_se"][name] == pytest.approx(stdev(sums) / 2)
        assert results["total_bits"][name] == pytest.approx(fmean(map(sum, curve["bits"])))
        noise = results["noise_bits_per_item"][name]
        assert results["floor_bits_per_item"][name] == pytest.approx(noise + fmean(stays))
    assert results["noise_bits_per_item"]["noisy television"] == pytest.approx(
        math.log2(math.sqrt(2 * math.pi * math.e) / 0.02)
    )


def test_the_encoders_probes(monkeypatch, random):
    trainings = {}

    def train_and_probe(config, seed, index, *where):
        measures = {name: random.random(3).tolist() for name in encoder.MEASURES}
        return trainings.setdefault(
            index,
            {"steps": [0, 20, 40], "scores": [1.0], "measures": measures, "chance": 0.1,
             "projection": [], "projected_labels": []},
        )  # fmt: skip

    monkeypatch.setattr(encoder, "train_and_probe", train_and_probe)
    monkeypatch.setattr(encoder, "probe_control", lambda config, name, *_: {"linear": 0.5})
    monkeypatch.setattr(encoder, "projected_images", lambda *_: np.zeros(1))
    results = run(encoder, dataclasses.replace(encoder.QUICK, training_seeds=3)).results
    for name in encoder.MEASURES:
        for step in range(3):
            values = [one["measures"][name][step] for one in trainings.values()]
            assert results[name]["mean"][step] == pytest.approx(fmean(values))
            assert results[name]["sd"][step] == pytest.approx(stdev(values))


def test_the_scan_of_the_encoder_takes_the_reference_where_a_cell_is_it(monkeypatch):
    def train_variant(config, *_):
        return {"bits": float(config.code_dim), "linear": config.ridge_penalty}

    monkeypatch.setattr(encoder_scan, "train_variant", train_variant)
    results = run(encoder_scan, encoder_scan.QUICK).results
    for cell in results["cells"].values():
        dim = cell["value"] if cell["axis"] == "code_dim" else encoder_scan.QUICK.code_dim
        ridge = cell["value"] if cell["axis"] == "ridge_penalty" else 3.0
        assert (cell["bits"], cell["linear"]) == (dim, ridge)
        assert cell["is_reference"] == ((dim, ridge) == (encoder_scan.QUICK.code_dim, 3.0))


def test_the_seeds_of_the_neural_automaton(monkeypatch, random):
    kinds = ("travelling", "standing", "remaining", "crossings", "chance_crossings")
    runs = []

    def train_and_judge(config, update, seed, device, task):
        empty = pack(np.zeros(1, dtype=np.float32))
        return {"final": float(random.gamma(9)), "device": "cpu", "curve": empty,
                "weights": empty, "final_weights": empty}  # fmt: skip

    def look(*_):
        ends = {
            when: {kind: random.random(2).tolist() for kind in kinds} for when in ("start", "end")
        }
        runs.append(ends)
        return {"solitons": ends, "arrays": {}}

    monkeypatch.setattr(nca, "train_and_judge", train_and_judge)
    monkeypatch.setattr(nca, "look", look)
    config = dataclasses.replace(nca.QUICK, seeds=(0, 1, 2), updates=("residual",))
    found = run(nca, config)
    summary = found.results["summary"]["residual"]
    finals = list(found.scores.values())
    assert summary["final_mean"] == pytest.approx(fmean(finals))
    assert summary["final_sd"] == pytest.approx(stdev(finals))
    assert summary["final_range"] == [min(finals), max(finals)]
    for kind, count in (
        ("travelling", "seeds_that_travel_more"),
        ("crossings", "seeds_with_more_crossings"),
    ):
        assert summary[count] == sum(fmean(r["end"][kind]) > fmean(r["start"][kind]) for r in runs)


def test_the_variants_of_the_neural_automaton(monkeypatch, random):
    trained = {}

    def train_variant(config, name, *_):
        one = {"final": float(random.gamma(9)), "judged": float(random.gamma(9)), "curve": [0.0]}
        trained.setdefault(name, []).append(one)
        return one

    monkeypatch.setattr(nca_scan, "train_variant", train_variant)
    results = run(nca_scan, nca_scan.QUICK).results
    for name, ones in trained.items():
        for kind in ("final", "judged"):
            assert results[name][kind] == pytest.approx(fmean(one[kind] for one in ones))
            assert results[name][f"{kind}_sd"] == pytest.approx(stdev(one[kind] for one in ones))


def test_the_points_of_criticality(monkeypatch, random):
    drawn = {}

    def probe(config, point, seed):
        chi = random.normal(1, 0.2, 3).tolist()
        drawn[point] = {"chi": chi, "survival": random.random(point.depth).tolist()}
        return drawn[point]

    monkeypatch.setattr(criticality, "probe", probe)
    config = dataclasses.replace(criticality.QUICK, draws=3)
    found = run(criticality, config)
    by_depth, by_gain, by_scale = criticality.panels(config)
    for name, points in (("depth", by_depth), ("gain", by_gain), ("scale", by_scale)):
        panel = found.arrays[name].reshape(-1, 2)
        for (mean, sd), point in zip(panel, points, strict=True):
            assert mean == pytest.approx(fmean(drawn[point]["chi"]))
            assert sd == pytest.approx(stdev(drawn[point]["chi"]))
    normalized = [fmean(drawn[p]["chi"]) for p in by_depth if p.normalize]
    assert found.results["normalized"] == pytest.approx([min(normalized), max(normalized)])
    shallow = [fmean(drawn[p]["chi"]) for p in by_depth if not p.normalize and p.depth <= 16]
    assert found.results["plain_to_depth_16"] == pytest.approx([min(shallow), max(shallow)])


def test_what_calibration_counts(monkeypatch):
    parts = {
        "tested_part": [
            [0.04, 0.2, None, None, True, False, False],
            [0.05, 0.01, None, None, False, False, True],
            [0.06, None, None, None, False, True, True],
            [None, 0.05, None, None, False, False, True],
        ],
        # the share, its interval and the population value
        "covered_part": [[0.5, 0.4, 0.6, 0.6], [0.3, 0.2, 0.4, 0.1], [0.1, 0.0, 0.3, 0.5]],
        "compared_part": [[0.01, 0.2, 0.1], [0.05, 0.1, 0.3], [0.5, 0.0, -0.1], [1.0, 0.1, 0.1]],
        "scanned_part": [[0], [3], [0], [1], [0]],
    }
    for name, rows in parts.items():
        monkeypatch.setattr(calibration, name, lambda c, cell, part, s, rows=rows: rows)
    results = run(calibration, dataclasses.replace(calibration.QUICK, parts=1)).results
    for found in results["tests"].values():
        rates = {"rate": 0.5, "dependence": 0.5, "bend": None, "kept": 0.25}
        assert found == rates | {"refused": 0.25, "cautioned": 0.75, "sets": 4}
    for found in results["coverage"].values():
        shares = {"covered": 1 / 3, "too_high": 1 / 3, "share": 0.3, "population": 0.4}
        assert found == pytest.approx(shares | {"width": 0.7 / 3, "sets": 3})
    for found in results["differences"].values():
        assert found == pytest.approx({"rate": 0.5, "gain": 0.1, "difference": 0.1, "sets": 4})
    for found in results["scans"].values():
        assert found == pytest.approx({"rate": 0.4, "columns": 0.8, "sets": 5})


def test_shares_and_prices_of_the_rooms(monkeypatch, random):
    lived, priced = {}, {}

    def live(config, drive, corridor, agent, seed):
        share, earned = random.dirichlet(np.ones(5)).tolist(), random.random()
        lived.setdefault((drive, corridor), []).append((share, earned))
        along = np.full((2, 5), agent)
        about = {"drive": drive, **dataclasses.asdict(corridor), "agent": agent}
        return about | {"share": share, "earned": earned, "along": along}

    def price_habits(config, pixels, agent, seed):
        size = (len(rooms.HABITS), len(config.habit_lengths))
        bits = {drive: random.random(size).tolist() for drive in rooms.PAID_HABITS}
        priced.setdefault(pixels, []).append(bits)
        return {"pixels": pixels, "bits": bits}

    monkeypatch.setattr(rooms, "live", live)
    monkeypatch.setattr(rooms, "price_habits", price_habits)
    found = run(rooms, dataclasses.replace(rooms.QUICK, agents=3)).results
    for row, told in zip(found["shares"], lived.values(), strict=True):
        shares, earned = zip(*told, strict=True)
        assert row["mean"] == pytest.approx(list(map(fmean, zip(*shares, strict=True))))
        assert row["sd"] == pytest.approx(list(map(stdev, zip(*shares, strict=True))))
        assert row["earned"] == pytest.approx(fmean(earned))
        assert row["earned_sd"] == pytest.approx(stdev(earned))
    for row in found["habits"]:
        place = list(rooms.HABITS).index(row["habit"])
        told = [bits[row["drive"]][place] for bits in priced[row["pixels"]]]
        assert row["mean"] == pytest.approx(list(map(fmean, zip(*told, strict=True))))
        assert row["sd"] == pytest.approx(list(map(stdev, zip(*told, strict=True))))


def test_terms_against_collapse_are_chosen_by_what_they_reach(monkeypatch, random):
    probed, planned = {}, {}

    def train_and_probe(config, arm, epochs, part, seed, data, device):
        found = {name: random.random() for name in images.MEASURES}
        probed.setdefault((arm.name, part), []).append(found)
        return found

    def train_and_plan(config, term, weight, scene, seed, device):
        found = {name: random.random() for name in worldmodel.MEASURES}
        planned.setdefault((term, weight, scene, config.steps), []).append(found)
        return found

    monkeypatch.setattr(images, "train_and_probe", train_and_probe)
    results = run(images, dataclasses.replace(images.QUICK, seeds=3)).results
    for term in ("honest S", "SIGReg", "VICReg", "plain S"):
        arms = [arm.name for arm in images.CANDIDATES if arm.term == term]
        own = {name: probed[name, "validation"][0] for name in arms}
        best = max(own, key=lambda name: own[name]["backbone"])
        assert results["chosen"][term] == best
        codes = [found["code"] for found in probed[best, "test"]]
        assert results["table"][term]["code"]["mean"] == pytest.approx(fmean(codes))
        assert results["table"][term]["code"]["sd"] == pytest.approx(stdev(codes))
    monkeypatch.setattr(worldmodel, "train_and_plan", train_and_plan)
    config = dataclasses.replace(worldmodel.QUICK, seeds=3, steps=8)
    results = run(worldmodel, config).results
    for term, weights in worldmodel.WEIGHTS.items():
        reached = {
            w: sum(planned[term, w, scene, 4][0]["success"] for scene in config.scenes[:2])
            for w in weights
        }
        best = max(reached, key=lambda w: reached[w])
        assert results["chosen"][term] == best
        for scene in config.scenes:
            ranks = [found["rank"] for found in planned[term, best, scene, 8]]
            assert results["table"][scene][term]["rank"]["mean"] == pytest.approx(fmean(ranks))
            assert results["table"][scene][term]["rank"]["sd"] == pytest.approx(stdev(ranks))


def test_learners_of_tables_are_judged_on_the_same_thirds(monkeypatch, random):
    import pandas
    from sklearn.linear_model import RidgeCV

    x = random.standard_normal((300, 3))
    y = x @ [1.0, -2.0, 0.0] + random.standard_normal(300)
    frame = pandas.DataFrame(x, columns=["a", "b", "c"]).assign(y=y)
    monkeypatch.setattr(tables, "load", lambda table: frame)
    found = tables.compare(dataclasses.replace(tables.QUICK, most_rows=300), "", "y", (), 300, 0)
    order = torch.randperm(300, generator=torch.Generator().manual_seed(0)).numpy()
    left = total = 0.0
    for new in np.split(order, 3):
        old = np.setdiff1d(order, new)
        guess = RidgeCV(np.logspace(-4, 6, 31)).fit(x[old], y[old]).predict(x[new])
        left += np.sum((y[new] - guess) ** 2)
        total += np.sum((y[new] - y[old].mean()) ** 2)
    assert found["ridge"] == pytest.approx(1 - left / total, abs=2e-3)
    assert found["ours"] == pytest.approx(found["ridge"], abs=0.03)
    assert found["boosted trees"] < found["ridge"] and found["rows"] == 300
