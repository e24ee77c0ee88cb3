"""Rules against closed forms and hand-made cases; every claim is judged, none is dropped."""

import dataclasses
import shutil
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from learnable_novelty.cli.main import main
from novelty_lab import records
from novelty_lab.intervals import student
from novelty_lab.ledger.claims import Claim, claim, load_claims
from novelty_lab.ledger.findings import Finding, Pair, Ranked, Value
from novelty_lab.ledger.ledger import count, rows
from novelty_lab.ledger.rules import RULES, objections, ordering, places, undecided
from novelty_lab.ledger.source import PaperRecords, sources
from novelty_lab.ledger.worth import committed_worth, worth_of
from novelty_lab.paper.fig3_neural.claims import SMOOTH, plateau_step
from novelty_lab.paper.table1_agents.claims import COLLAPSE, ENOUGH
from novelty_lab.paper.table1_agents.paper import PAPER, PAPER_CONDITIONS
from novelty_lab.records import Record
from novelty_lab.registry import all_artefacts

WALKER = PAPER["Walker2d"]
HOPPER = PAPER["Hopper"]["task"][0]
ROOT = Path(__file__).parents[3]
RESULTS = ROOT / "results"
CLAIMS = 99


def a_claim(kind, value=None, **more):
    return Claim("x", "app X", kind, "a statement", value, **more)


def holds(claim, *values, **more):
    return not objections(claim, Finding(values=values, **more))


@pytest.mark.parametrize("freedom", [1, 2, 2.57, 4, 9, 17.3, 30, 100, 1e6])
def test_student_factors_are_those_of_the_distribution(freedom):
    assert student(freedom) == pytest.approx(stats.t.ppf(0.975, freedom), rel=1e-9)


@pytest.mark.parametrize("runs", [3, 5, 10])
@pytest.mark.parametrize("sd", [0.1, 1.0, 4.0])
@pytest.mark.parametrize("distance", np.linspace(0.0, 6.0, 13))
def test_a_number_with_both_spreads_is_judged_as_by_welch(runs, sd, distance):
    found = stats.ttest_ind_from_stats(distance, sd, runs, 0.0, 1.0, 10, equal_var=False)
    if abs(found.pvalue - 0.05) > 1e-6:
        claim = a_claim("number", 0.0, sd=1.0, runs=10, decimals=12)
        assert holds(claim, Value(distance, sd, runs)) == (found.pvalue > 0.05)


def test_a_number_without_printed_spread_borrows_ours():
    claim = a_claim("number", 46, runs=8)
    edge = 0.5 + stats.t.ppf(0.975, 7) * 1.0 * np.sqrt(1 / 8 + 1 / 8)
    assert holds(claim, Value(46 + edge - 1e-6, 1.0, 8))
    assert not holds(claim, Value(46 + edge + 1e-6, 1.0, 8))


@pytest.mark.parametrize(
    ("printed", "decimals", "ours", "verdict"),
    [
        (0.997, None, 0.9974, True),
        (0.997, None, 0.9976, False),
        (46, None, 46.5, True),
        (46, None, 46.51, False),
        (0.9, 2, 0.904, True),
        (0.9, 2, 0.906, False),
        (-500, None, -500.4, True),
    ],
)
def test_without_any_spread_the_printed_digits_must_agree(printed, decimals, ours, verdict):
    assert holds(a_claim("number", printed, decimals=decimals), Value(ours)) == verdict


def test_every_number_of_a_claim_must_fit():
    claim = a_claim("number", [1.0, 2.0])
    assert holds(claim, Value(1.04), Value(1.96))
    assert not holds(claim, Value(1.04), Value(2.06))
    assert not holds(a_claim("number", 1.0), Value(1.0), Value(1.1))
    with pytest.raises(ValueError, match="zip"):
        holds(claim, Value(1.0))


def test_a_range_is_widened_by_rounding_and_error():
    claim = a_claim("range", [6.9, 8.4])
    assert holds(claim, Value(6.86), Value(8.44))
    assert not holds(claim, Value(6.84))
    assert not holds(claim, Value(7.0), Value(8.46))
    assert holds(claim, Value(8.46, 0.2, 1, degrees=9))
    edge = 0.05 + stats.t.ppf(0.975, 9) * 0.2 * np.sqrt(2.0)
    assert holds(claim, Value(8.4 + edge - 1e-6, 0.2, 1, degrees=9))
    assert not holds(claim, Value(8.4 + edge + 1e-6, 0.2, 1, degrees=9))


def test_a_bound_has_a_side():
    above, below = a_claim("bound", 0.9, side="above"), a_claim("bound", 0.9, side="below")
    assert holds(above, Value(0.95)) and holds(above, Value(0.86)) and not holds(above, Value(0.84))
    assert holds(below, Value(0.1)) and holds(below, Value(0.94)) and not holds(below, Value(0.96))
    assert not holds(below, Value(0.1), Value(0.96))


def test_a_rank_may_move_as_far_as_scores_do():
    bits = {"a": 9.0, "b": 5.2, "c": 5.0, "d": 4.9, "e": 1.0}
    sharp = {name: Value(mean, 0.001, 10) for name, mean in bits.items()}
    blunt = {name: Value(mean, 0.3, 10) for name, mean in bits.items()}
    claim = a_claim("rank", 2, runs=10)
    assert Ranked("c", sharp).place == 3
    assert places(Ranked("c", sharp), claim) == (3, 3)
    assert places(Ranked("c", blunt), claim) == (2, 4)
    assert not objections(claim, Finding(ranked=(Ranked("c", blunt),)))
    assert objections(claim, Finding(ranked=(Ranked("c", sharp),))) == ["3 for 2"]
    assert places(Ranked("a", blunt), claim) == (1, 1)


def test_an_order_is_contradicted_only_beyond_its_error():
    def found(difference):
        return Finding(pairs=(Pair("p", Value(difference, 1.0, 5), Value(0.0, 1.0, 5)),))

    claim, edge = a_claim("ordering"), stats.t.ppf(0.975, 8) * np.sqrt(2 / 5)
    assert objections(claim, found(-edge - 1e-6)) == ["p"]
    assert not objections(claim, found(-edge + 1e-6))
    assert undecided(found(-edge + 1e-6)) == undecided(found(edge - 1e-6)) == ["p"]
    assert not undecided(found(edge + 1e-6))
    exact = Finding(pairs=(Pair("p", Value(1.0), Value(1.0)), Pair("q", Value(0.9), Value(1.0))))
    assert ordering(claim, exact) == ["q"]


def test_one_band_is_no_wider_than_chance():
    runs = np.random.default_rng(0).normal(size=(3, 9))
    claim = a_claim("same")
    for shift in np.linspace(0.0, 1.5, 16):
        moved = runs + shift * np.arange(3)[:, None]
        p = stats.f_oneway(*moved).pvalue
        assert holds(claim, *map(Value.of, moved)) == (p >= 0.05)


def test_every_claim_has_one_source():
    ids = [claim.id for claim in load_claims()]
    assert len(ids) == len(set(ids)) == CLAIMS
    assert set(sources()) == set(ids)
    assert {claim.kind for claim in load_claims()} == set(RULES)


def test_a_folder_reads_only_claims_about_its_own_records():
    artefacts = list(all_artefacts().values())
    read = {artefact.package for artefact in artefacts if artefact.claims}
    assert len(read) > 5
    for artefact in artefacts:
        inside = {other.name for other in artefacts if other.package == artefact.package}
        assert {source.experiment for source in artefact.claims.values()} <= inside


def by_id(root):
    found = rows(root)
    assert len(found) == CLAIMS
    return {row.claim.id: row for row in found}


def test_the_committed_records_judge_all_but_agents():
    found = by_id(RESULTS)
    judged = {name for name, row in found.items() if row.verdict != "not run"}
    assert {name for name in found if not name.startswith("rl.")} <= judged
    for row in found.values():
        assert bool(row.note) or row.verdict != "not run"
        assert row.verdict == "not run" or row.runs > 0
        assert not row.record or Path(row.record).is_dir()
        assert not row.figure or Path(row.figure).is_file()


@pytest.fixture(scope="module")
def flows():
    return records.load(RESULTS / "flows" / "paper-seed0")


def test_a_doctored_record_flips_the_verdict(flows, tmp_path):
    flows.save(tmp_path)
    before = by_id(tmp_path)
    assert before["flows.thomas"].verdict == before["flows.order"].verdict == "reproduced"
    doctored = {**flows.scores, "Thomas": 2.0}
    dataclasses.replace(flows, scores=doctored).save(tmp_path)
    after = by_id(tmp_path)
    assert after["flows.thomas"].verdict == after["flows.order"].verdict == "differs"
    assert "Against it: Thomas above rotation" in after["flows.order"].note
    assert after["flows.rossler"] == before["flows.rossler"]


@pytest.mark.parametrize("config", ["quick", "custom-0123abcd"])
def test_only_the_papers_configuration_counts(flows, tmp_path, config):
    dataclasses.replace(flows, config=config).save(tmp_path)
    assert count(rows(tmp_path))["not run"] == CLAIMS
    # Nor does a name on the folder make it so.
    path = tmp_path / "flows" / f"{config}-seed0"
    shutil.move(path, path.with_name("paper-seed0"))
    assert count(rows(tmp_path))["not run"] == CLAIMS


def some_runs(root, task, reward, values, *, config=None):
    for seed, value in enumerate(values):
        results = {"return": float(value), "curve": []}
        if reward != "task":
            results["random_return"] = -2000.0
        configuration = {"task": task, "reward": reward}
        name = config or f"{task}-{reward}"
        Record("rl-table", name, configuration, seed, results).save(root)


def around(mean, sd, seeds=ENOUGH):
    """Return values of exactly this mean and deviation."""
    values = np.linspace(-1.0, 1.0, seeds)
    return mean + sd * values / values.std(ddof=1)


def the_papers_table(root, *, sd=1.0):
    for task, row in PAPER.items():
        for condition in PAPER_CONDITIONS:
            mean, spread = row[condition]
            some_runs(root, task, condition, around(mean, spread * sd))


def test_few_seeds_are_not_judged(tmp_path):
    some_runs(tmp_path, "Hopper", "task", around(HOPPER, 10, ENOUGH - 1))
    row = by_id(tmp_path)["rl.Hopper.task"]
    assert (row.verdict, row.runs, row.ours) == ("not run", ENOUGH - 1, pytest.approx(HOPPER))
    assert row.note.startswith(f"{ENOUGH - 1} seeds, fewer than {ENOUGH}.")
    some_runs(tmp_path, "Hopper", "task", around(HOPPER, 10, ENOUGH))
    assert by_id(tmp_path)["rl.Hopper.task"].verdict == "reproduced"
    some_runs(tmp_path, "Hopper", "task", around(9999, 10, ENOUGH))
    assert by_id(tmp_path)["rl.Hopper.task"].verdict == "differs"


def test_the_papers_own_table_reproduces_its_claims(tmp_path, capsys):
    the_papers_table(tmp_path)
    found = by_id(tmp_path)
    agents = {name: row for name, row in found.items() if name.startswith("rl.")}
    differing = {name for name, row in agents.items() if row.verdict != "reproduced"}
    assert differing == {"rl.noise"}
    assert found["rl.improves"].ours == 9
    assert found["rl.collapses"].ours == 0
    assert set(found["rl.magnitude.below"].ours) == {"Hopper", "Walker2d", "LunarLander"}
    assert found["rl.walker2d.change"].ours == pytest.approx(
        WALKER["task+epiplexity"][0] / WALKER["task"][0] - 1
    )
    told = run(capsys, "rl.improves", "--out", tmp_path)[1]
    assert f"and {2 * len(PAPER) * ENOUGH - 12} more: --json lists them" in told
    assert "more: --json" not in run(capsys, "rl.Hopper.task", "--out", tmp_path)[1]


def test_a_collapse_is_a_loss_of_most_of_what_was_gained(tmp_path):
    the_papers_table(tmp_path, sd=0.0)
    random, task = -2000.0, PAPER["LunarLander"]["task"][0]
    edge = random + COLLAPSE * (task - random)
    for mean, verdict in ((edge + 1, "reproduced"), (edge - 1, "differs")):
        some_runs(tmp_path, "LunarLander", "task+epiplexity", around(mean, 0.0))
        row = by_id(tmp_path)["rl.collapses"]
        assert row.verdict == verdict
        assert ("Collapsed in the mean: LunarLander." in row.note) == (row.ours == 1)


@pytest.mark.parametrize(("bits", "verdict"), [(0.3, "reproduced"), (30.0, "differs")])
def test_noise_is_read_off_the_rooms(tmp_path, bits, verdict):
    habits = [
        {"pixels": pixels, "drive": drive, "habit": habit, "mean": [99.0, mean], "sd": [1.0, 0.1]}
        for pixels, mean in ((16, bits), (8, 77.0))
        for drive in ("epiplexity", "surprise")
        for habit in ("noise", "dark")
    ]
    corridor = {"length": 500, "pixels": 16, "clock": True}
    configuration = {"corridor": corridor, "habit_lengths": [50, 500], "agents": 10}
    Record("rooms", "paper", configuration, 0, {"habits": habits}).save(tmp_path)
    row = by_id(tmp_path)["rl.noise"]
    assert (row.verdict, row.ours, row.runs) == (verdict, bits, 10)


def test_the_plateau_begins_where_the_curve_stays_near_its_end():
    curve = np.full(2000, 80.0)
    assert plateau_step(curve) == 0
    curve[:700] = 40.0
    # A mean that holds one of the early values is more than half a bit off.
    assert plateau_step(curve) == 700 + SMOOTH - 2
    curve[1200] = 100.0
    assert plateau_step(curve) == 700 + SMOOTH - 2


def run(capsys, *arguments):
    code = main(["ledger", *map(str, arguments)])
    return code, capsys.readouterr().out


def test_a_true_number_with_both_spreads_is_called_reproduced_in_nineteen_of_twenty():
    claim, source = a_claim("number", 100.0, sd=8.0, runs=10, decimals=6), sources()["eca.top"]
    right, wrong = worth_of(claim, source, Finding(values=(Value(90.0, 8.0, 10),)), 2000)
    # The power of a t test of two samples of ten, 20 of 8 apart.
    missed = stats.nct.cdf(stats.t.ppf(0.975, 18), 18, 20 / (8 * np.sqrt(0.2)))
    assert right == pytest.approx(0.95, abs=0.02)
    assert wrong == pytest.approx(missed, abs=0.02)


@pytest.mark.parametrize("name", ["flows.lorenz", "eca.ref.gap", "rl.Hopper.task", "nca.band"])
def test_the_committed_worth_is_what_the_simulation_gives(name):
    source = sources()[name]
    found = worth_of(claim(name), source, source.finding(PaperRecords(RESULTS)), 200)
    assert found == pytest.approx(committed_worth()[name], abs=0.15)


def test_without_results_nothing_was_run(capsys, tmp_path):
    found = by_id(tmp_path / "none")
    assert {row.verdict for row in found.values()} == {"not run"}
    assert all(row.runs == 0 and row.ours is None and not row.record for row in found.values())
    code = main(["ledger", "--out", str(tmp_path / "none")])
    told = capsys.readouterr()
    assert code == 0
    assert f"0 reproduced, 0 differs, {CLAIMS} not run; of {CLAIMS} claims" in told.out
    assert f"there is no record in {tmp_path / 'none'}" in told.err
    assert "--out" in told.err


def test_an_unknown_claim_is_a_sentence(capsys):
    assert main(["ledger", "mnist.liner", "--out", str(RESULTS)]) == 2
    told = capsys.readouterr().err
    assert "there is no claim 'mnist.liner'; did you mean mnist.linear" in told


def test_the_terminal_has_eighty_columns(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    code, out = run(capsys, "--out", RESULTS)
    assert code == 0
    assert max(map(len, out.splitlines())) <= 80
    assert all(claim.id in out for claim in load_claims())
    assert out.rstrip().endswith(f"of {CLAIMS} claims")


def test_the_page_of_the_docs_is_current(capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    code, out = run(capsys, "--markdown")
    assert code == 0
    page = (ROOT / "docs" / "ledger.md").read_text()
    assert page.startswith(out), "docs/ledger.md is not what the records say: run make tables"
    assert page.removeprefix(out).startswith("\n## Settings")
