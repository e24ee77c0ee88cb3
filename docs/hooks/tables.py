"""Tables of README and docs that show records; ``make tables`` writes them again.

A page asks for a table with the mark ``<!-- table: NAME -->``; the text up to ``<!-- end -->`` is
replaced. A test holds the pages to what the committed records say.
"""

from __future__ import annotations

import json
import re
import statistics
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from docs.hooks import badges
from novelty_lab.artefacts.compare.pictures import MEASURES as COMPARED
from novelty_lab.artefacts.life_map.pictures import MEASURES as LIFE_MEASURES
from novelty_lab.artefacts.rl_table.paper import PAPER
from novelty_lab.artefacts.rooms.drives import DRIVE_LABELS
from novelty_lab.ledger import claim as paper_claim

ROOT = Path(__file__).parents[2]
MARK = re.compile(r"(?P<mark><!-- table: (?P<name>[\w-]+) -->\n).*?(?P<end><!-- end -->)", re.S)


def pages() -> list[Path]:
    """List the pages that may hold tables."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]


def filled(text: str) -> str:
    """Return a page with every marked table made again from the records."""
    return MARK.sub(lambda m: f"{m['mark']}\n{TABLES[m['name']]()}\n\n{m['end']}", text)


def main() -> None:
    """Write the tables of all pages."""
    for path in pages():
        text = path.read_text(encoding="utf-8")
        if filled(text) != text:
            path.write_text(filled(text), encoding="utf-8")
            print(f"written: {path.relative_to(ROOT)}")
    draw_start(ROOT / "results" / "start.png")
    badges.write()


def draw_start(path: Path) -> None:
    """Draw the picture of the README, which is also that of the start page."""
    from novelty_lab import start_figure
    from novelty_lab.style import in_style

    with in_style():
        drawn = start_figure.figure(ROOT / "results")
        drawn.savefig(path, dpi=160, format="png", metadata={"Software": None})


def read(*path: str) -> Any:
    """Read a JSON file of the repository."""
    return json.loads(ROOT.joinpath(*path).read_text(encoding="utf-8"))


def record(name: str, part: str = "results") -> dict[str, Any]:
    """Read the results, or another part, of the committed paper run of an artefact."""
    return read("results", name, "paper-seed0", "record.json")[part]


def benchmark(name: str) -> dict[str, dict[str, float]]:
    """Read the rows of committed timings, by name."""
    return {row["name"]: row for row in read("benchmarks", f"{name}.json")["rows"]}


def markdown(columns: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Write a Markdown table."""
    head = list(columns)
    lines = [head, ["---"] * len(head), *(list(row) for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def claim(name: str) -> Any:
    """Return the value that the paper publishes."""
    return paper_claim(name).value


def mean_sd(values: list[float], digits: int = 0) -> str:
    """Write mean and standard deviation."""
    return f"{statistics.mean(values):.{digits}f} ± {statistics.stdev(values):.{digits}f}"


# The automata and the readouts


def appendix_d() -> str:
    """Compare the ridge and the exact readout of the automata with the paper."""
    results = record("mdl")
    observers = {
        "table 2 (depth 3, ridge 0.03)": results["table 2"],
        "inverse NCA (depth 4, ridge 0.3)": results["inverse NCA"],
    }
    ours = list(observers.values())
    margin, rank = (", ".join(map(str, claim(name))) for name in ("mdl.margin", "mdl.41"))
    margins = [f"{o['margin_ridge']:.1f}, {o['margin_exact']:.1f}" for o in ours]
    ranks = [", ".join(f"{place:g}" for place in o["rank_41"]) for o in ours]
    same = ["yes" if o["same_top_fourteen"] else "no" for o in ours]
    spearman, ratio = str(claim("mdl.spearman")), str(claim("mdl.ratio"))
    rows = [
        ["Spearman correlation", spearman, *(f"{o['spearman']:.3f}" for o in ours)],
        ["largest ratio exact / ridge", ratio, *(f"{o['largest_ratio']:.2f}" for o in ours)],
        ["same top fourteen", "yes", *same],
        ["margin of 110, ridge then exact", margin, *margins],
        ["rank of rule 41, ridge then exact", rank, *ranks],
    ]
    return markdown(["", "paper", *observers], rows)


def nca_scan() -> str:
    """List the final score of the neural automaton, one open setting changed at a time."""
    results = record("nca-scan")
    shown = sorted(results.items(), key=lambda item: -item[1]["final"])
    rows = [[name, f"{row['final']:.1f} ± {row['final_sd']:.1f}"] for name, row in shown]
    return markdown(["change", "final bits, two seeds"], rows)


# The encoder


CODES = {
    "pixels": "raw pixels",
    "PCA-64": "PCA-64",
    "untrained": "untrained encoder",
    "coding rate": "coding rate, same encoder and budget",
    "paper": "the paper's",
    "untrained conv": "untrained convolutional encoder",
    "conv by mlp": "conv by mlp (chosen unmoved)",
    "conv by conv, resolution 300": "conv by conv, resolution 300 (chosen unmoved)",
    "conv by mlp, moved": "conv by mlp, moved (chosen)",
}


def encoder_controls() -> str:
    """Compare codes of images by probes that see the labels."""
    table = record("encoder-controls")["table"]
    digits, fashion = table["mnist"], table["fashion-mnist"]
    rows = [
        [
            CODES.get(name, name),
            *(f"{_mean(row[key]):.3f}" for key in ("linear", "neighbours")),
            f"{_mean(row['clusters']):.2f}",
            *(f"{_mean(fashion[name][key]):.3f}" for key in ("linear", "neighbours")),
        ]
        for name, row in digits.items()
    ]
    sets = ["MNIST linear", "MNIST 5-NN", "MNIST k-means", "Fashion linear", "Fashion 5-NN"]
    return markdown(["code", *sets], rows)


def _mean(row: Any) -> float:
    return row["mean"] if isinstance(row, dict) else row


# Tests: how often they reject true null hypotheses


def _false_positives(name: str, titles: dict[str, str]) -> str:
    rates = record(name)["false_positives"]
    rows = [
        [title, f"{rates[key]['rate']:.3f} ± {rates[key]['se']:.3f}"]
        for key, title in titles.items()
    ]
    return markdown(["null data", "share with p ≤ 0.05"], rows)


def calibration() -> str:
    """Give the false positives of the permutation tests."""
    titles = {
        "independent samples": "independent samples, n = 128",
        "smooth lattices": "lattices of independent smooth fields, 40 × 32 sites",
        "AR pairs": "independent AR(0.95) pairs, 1024 steps",
        "white series": "white series, 128 steps",
        "AR pairs, rows permuted": "AR(0.95) pairs with rows permuted, for comparison",
    }
    return _false_positives("calibration", titles)


def relations() -> str:
    """Give the order, the time and the values on noise of measures of real relations."""
    tells = {
        "held-out variance": "share of variance in new rows, with an interval and a p-value",
        "denoised bits": "how rich the relation is, not how strong",
        "excess bits": "strength and richness together",
        "forest, held-out R2": "share of variance in new rows",
        "ppscore": "how much a tree beats the median; 0 for much that is weak",
        "phik": "strength of association between bins",
        "distance correlation": "strength of any dependence; noise is not 0",
        "mutual information": "bits of any dependence; noise is not 0",
        "|Pearson's r|": "strength of a straight line",
    }
    rows = sorted(record("relations")["orders"].items(), key=lambda one: -one[1]["spearman"])
    return markdown(
        ("measure", "Spearman with the forest", "largest of 30 shuffled", "seconds", "it tells"),
        (
            (
                name.replace("|", "\\|"),
                f"{row['spearman']:.2f}",
                f"{row['largest shuffled']:.2f}",
                f"{row['seconds']:.2g}",
                tells[name],
            )
            for name, row in rows
        ),
    )


def signs() -> str:
    """Give the false positives of the test by random signs."""
    titles = {
        "independent samples": "independent samples, n = 1,024",
        "skewed samples": "skewed targets (log-normal, sigma 1.5), n = 1,024",
        "smooth lattices": "lattices of independent smooth fields, 120 × 32 sites",
        "AR pairs": "independent AR(0.95) pairs, 16,384 steps (420 correlation times)",
        "white series": "white series, 1,024 steps",
    }
    return _false_positives("signs", titles)


# Independence and answers

TESTS = {"ours": "ours", "MGC": "MGC", "Dcorr": "distance correlation", "Hsic": "HSIC"}


def _power_of(curves: dict[str, Any], test: str, *, last: bool) -> dict[str, float]:
    """Return the power of a test by simulation: with most rows, or the mean of the curve."""
    return {
        name.replace("_", " "): statistics.fmean(
            one[test] for one in (curve[-1:] if last else curve)
        )
        for name, curve in curves.items()
    }


def power() -> str:
    """Give power by simulation, with 100 rows and over dimension."""
    results = record("dependence")
    columns = [
        _power_of(results[part], test, last=last)
        for part, last in (("size", True), ("dimension", False))
        for test in TESTS
    ]
    null = "multimodal independence"
    names = [name for name in columns[0] if name != null]
    means = [statistics.fmean(one[name] for name in names) for one in columns]
    cells = [[name, *(f"{one[name]:.2f}" for one in columns)] for name in [*names, null]]
    shown = ["**mean of the 19**", *(f"**{mean:.2f}**" for mean in means)]
    heads = [f"{name}, {part}" for part in ("100 rows", "dimensions") for name in TESTS.values()]
    return markdown(["simulation", *heads], [shown, *cells])


def _level(row: dict[str, Any]) -> str:
    return f"{row['rate']:.3f} ± {row['se']:.3f}"


def level() -> str:
    """Give the level of the test of independence."""
    return markdown(
        ["data without dependence", "p ≤ 0.05"],
        [[name, _level(row)] for name, row in record("dependence")["level"].items()],
    )


def given() -> str:
    """Give level and power given a third variable, with ten folds and five, and the tree test."""
    five, trees = (record("dependence")["given"][test] for test in ("ours", "FCIT"))
    ten = record("dependence-level")
    rows = []
    for name, row in five.items():
        kind, _, rest = name.partition(", ")
        rest = rest.replace(", ours", "")
        other = trees[f"{kind}, {rest.replace(', n=', ', FCIT, n=')}"]
        more = ten[kind].get(f"{rest}, given z")
        cells = ["" if more is None else _level(more), _level(row), _level(other)]
        rows.append([kind, rest.replace("n=", "n = "), *cells])
    return markdown(["", "data", "ours", "ours, five folds", "FCIT"], rows)


def test_seconds() -> str:
    """Give CPU seconds of the tests of independence."""
    seconds = record("dependence")["seconds"]
    return markdown(
        ["rows", *TESTS.values(), "MGC / ours"],
        [
            [
                f"{row['n']:,}",
                *(f"{seconds[test][i]['seconds']:.2g}" for test in TESTS),
                f"{seconds['MGC'][i]['seconds'] / row['seconds']:,.0f}",
            ]
            for i, row in enumerate(seconds["ours"])
        ],
    )


def scans() -> str:
    """Give false findings of scans."""
    return markdown(
        ["table of independent columns", "tables with a finding", "p ≤ 0.05"],
        [
            [name, _level(row), f"{row['p_at_5']:.3f}"]
            for name, row in record("answers")["scans"].items()
        ],
    )


# The life map


LIFE_NAMES = ("Anneal", "Holstein", "Day & Night", "Life", "Diamoeba", "HighLife", "Morley")


def life_areas() -> str:
    """Give the area under the ROC curve of rules with gliders, by measure."""
    areas = record("life-map")["areas"]
    groups = areas["excess"]
    columns = [
        f"against the {groups['named']['negatives']} other named rules",
        f"against {groups['random']['negatives']} rules drawn at random",
        f"against the {groups['proved']['negatives']} of these proved to have none",
    ]

    def area(key: str, group: str) -> str:
        one = areas[key][group]
        return f"{one['area']:.2f} ({one['low']:.2f} to {one['high']:.2f})"

    rows = [
        [title, *(area(key, group) for group in ("named", "random", "proved"))]
        for key, title in LIFE_MEASURES.items()
    ]
    return markdown(["measure", *columns], rows)


# Agents


TASKS = tuple(PAPER)


def returns(task: str, condition: str, *, tuned: bool = False) -> list[float]:
    """Read the mean evaluation return of every seed of a task and condition."""
    name = f"{task}-{condition}{'-tuned' if tuned else ''}-seed[0-9]*"
    paths = sorted((ROOT / "results" / "rl-table").glob(f"{name}/record.json"))
    return [json.loads(path.read_text(encoding="utf-8"))["results"]["return"] for path in paths]


def rl_tuned() -> str:
    """Compare task and bonus at the RL zoo's hyperparameters."""

    def cell(task: str, condition: str) -> str:
        return mean_sd(returns(task, condition, tuned=True), 1 if task == "Acrobot" else 0)

    rows = [
        [task, cell(task, "task"), cell(task, "task+epiplexity")]
        for task in TASKS
        if returns(task, "task", tuned=True)
    ]
    return markdown(["", "task only", "task + epiplexity"], rows)


def rl_rivals() -> str:
    """Compare the paper's bonus with other bonuses."""
    conditions = ("task", "task+epiplexity", "task+excess", "task+rnd", "task+icm", "task+e3b")
    rows = [
        [task, *(mean_sd(returns(task, condition)) for condition in conditions)]
        for task in TASKS
        if returns(task, "task+rnd")
    ]
    return markdown(["", "task only", "epiplexity", "excess", "RND", "ICM", "E3B"], rows)


def rl_default() -> str:
    """Compare bonuses with the task alone, from the least to the most in favour of foresight."""
    conditions = {
        "task": "task only",
        "task-running": "task only, in running units",
        "task+epiplexity": "raw bits",
        "task+excess": "excess",
        "task+foresight": "foresight",
    }

    def cell(task: str, condition: str) -> str:
        found = returns(task, condition)
        if not found:
            return "-"
        return f"{mean_sd(found) if len(found) > 1 else f'{found[0]:z.0f}'} ({len(found)})"

    better = {t: _wins(returns(t, "task+foresight"), returns(t, "task")) for t in TASKS}
    rows = [
        [task, *(cell(task, condition) for condition in conditions), f"{share:.2f}"]
        for task, share in sorted(better.items(), key=lambda item: item[1])
    ]
    return markdown(["", *conditions.values(), "P(foresight above task only)"], rows)


def _wins(ours: list[float], theirs: list[float]) -> float:
    """Return the share of pairs of runs in which ours is higher; ties count one half."""
    pairs = [(x > y) + 0.5 * (x == y) for x in ours for y in theirs]
    return statistics.mean(pairs)


def reward_cost() -> str:
    """Give what the bonus costs beside PPO, in microseconds per environment step."""
    rows = benchmark("results-reward")

    def cells(task: str) -> list[str]:
        bonus = rows[f"bonus beside PPO, {task}"]
        svd = rows[f"bonus, {task}: an SVD per step against ours"]
        floor = rows[f"bonus above its floor beside PPO, {task}"]
        return [
            task,
            f"{1e6 * bonus['plain']:.0f}",
            f"{1e6 * bonus['ours']:.1f}",
            f"{100 * bonus['ratio']:.1f}%",
            f"{1e6 * svd['plain']:.0f}",
            f"{1e6 * floor['ours']:.1f}",
            f"{100 * floor['ratio']:.1f}%",
        ]

    columns = ["task", "PPO", "bonus", "share", "SVD per step", '`floor="residual"`', "share"]
    return markdown(columns, [cells(task) for task in TASKS])


def rooms_habits() -> str:
    """Give what one episode pays in front of the automaton and of noise, by its length."""
    lengths = record("rooms", "configuration")["habit_lengths"]
    shown = [lengths.index(length) for length in (50, 200, 500, 1000, 5000)]
    habits = [row for row in record("rooms")["habits"] if row["pixels"] == 16]
    paid = {(row["drive"], row["habit"]): row["mean"] for row in habits}
    rows = [
        [f"{room}, {title}", *(f"{paid[drive, room][place]:.1f}" for place in shown)]
        for drive, title in (("epiplexity", "raw bits"), ("excess", "excess"))
        for room in ("automaton", "noise")
    ]
    return markdown(["steps of an episode", *(str(lengths[place]) for place in shown)], rows)


def rooms_shares() -> str:
    """Give the share of time that agents of each drive spend in three rooms."""
    results = record("rooms")
    shown = {"noise": "noisy television", "dark": "dark room", "automaton": "automaton"}
    shares = {
        row["drive"]: row["mean"]
        for row in results["shares"]
        if (row["length"], row["pixels"], row["clock"]) == (500, 16, True)
    }
    rows = [
        [title, *(f"{100 * shares[drive][results['rooms'].index(room)]:.0f}%" for room in shown)]
        for drive, title in DRIVE_LABELS.items()
        if drive in shares
    ]
    return markdown(["paid by", *shown.values()], rows)


# Other measures


TIMED = {"evidence_excess": "evidence_bits", "excess": None, "prequential_rate": None}
"""Under which name the time of a measure is recorded, if not its own; None: it comes along."""


def compare() -> str:
    """Give the share of systems that each measure puts below noise, and its cost."""
    results = record("compare")
    below, seconds = results["below_noise"], results["seconds"]

    def share(shares: dict[str, float], name: str) -> str:
        return f"{100 * shares[name]:.0f}%" if name in shares else "not measured"

    def time(kind: str, timed: str | None) -> str:
        if timed is None:
            return "with it"
        if timed not in seconds[kind]:
            return ""
        milliseconds = 1000 * seconds[kind][timed]
        return f"{milliseconds:.0f}" if milliseconds >= 10 else f"{milliseconds:.1f}"

    rows = [
        [
            title.strip(),
            share(below["automaton"]["steps"], name),
            share(below["flow"]["period"], name),
            share(below["flow"]["fixed"], name),
            time("automaton", TIMED.get(name, name)),
            time("flow", TIMED.get(name, name)),
        ]
        for name, title in COMPARED.items()
    ]
    leads = ["flows, leads in periods", "flows, leads of 0.1 to 1"]
    return markdown(["measure", "rules", *leads, "CPU ms, a rule", "CPU ms, a flow"], rows)


def life_named() -> str:
    """List well-known rules with their excess on the map and scored again."""
    named = {row["name"]: row for row in record("life-map")["named"]}
    rows = [
        [
            name,
            f"{named[name]['measures']['excess']:.1f}",
            f"{named[name]['again_excess']:.1f} ± {named[name]['again_half_width']:.1f}",
            f"{named[name]['again_rank']:,}",
        ]
        for name in LIFE_NAMES
    ]
    columns = ["excess on the map", "again (95%)", "place among the best, again"]
    return markdown(["rule", *columns], rows)


LIFE_SETTINGS = {
    "initial density 0.25, 0.75": ("density=0.25", "density=0.75"),
    "burn-in 100, 2000": ("burn_in=100", "burn_in=2000"),
    "grid 64, 97": ("grid=64", "grid=97"),
    "window 8, 32": ("window=8", "window=32"),
    "tori 4, 16": ("samples=4", "samples=16"),
    "channels 64, 256": ("channels=64", "channels=256"),
    "depth 2 (sees 3 × 3)": ("depth=2",),
    "input scale 0.3": ("input_scale=0.3",),
    "cells as 0 and 1": ("states=binary",),
    "another draw": ("another draw",),
}


def life_settings() -> str:
    """Say how the ranking of life-like rules depends on the settings of the score."""
    settings = record("life-map")["settings"]
    keys = ("spearman_excess", "spearman_bits", "top_shared")
    rows = [
        [title, *(", ".join(f"{settings[name][key]:.2f}" for name in names) for key in keys)]
        for title, names in LIFE_SETTINGS.items()
    ]
    columns = ["rank correlation by excess", "by raw bits", "best tenth shared"]
    return markdown(["setting", *columns], rows)


def ridge() -> str:
    """Give bits against n/lambda for structure and for noise."""
    bits = record("solvers")["bits"]
    titles = {
        "Lorenz": "a Lorenz ensemble",
        "orbit": "one rotation",
        "noise": "the same inputs, noise for targets",
    }
    rows = [[title, *(f"{value:.1f}" for value in bits[k][:9:2])] for k, title in titles.items()]
    return markdown(["n/λ", "10²", "10³", "10⁴", "10⁵", "10⁶"], rows)


def durations() -> str:
    """Say how long every artefact takes at the paper's configuration."""
    from novelty_lab.registry import all_artefacts

    timed = [artefact for artefact in all_artefacts().values() if artefact.takes]
    rows = ([f"`{one.name}`", one.title, one.takes] for one in timed)
    return markdown(["artefact", "shows", "takes"], rows)


# The summary of our results


def summary() -> str:
    """Say in one line per artefact what we reproduced."""
    rows = [[f"`{name}` ({place})", sentence()] for (name, place), sentence in SENTENCES.items()]
    return markdown(["artefact", "our result"], rows)


def _eca() -> str:
    results = record("eca")
    zero = len(results["exactly_zero"])
    return (
        f"rule {results['ranking'][0]} is first, {results['margin']:.1f} bits above rule "
        f"{results['runner_up']} (paper {claim('eca.ref.margin')}); rule 54 has rank "
        f"{results['rank_54']} and rule 30 rank {results['rank_30']}; {zero} rules score exactly 0"
    )


def _eca_scan() -> str:
    cells = record("eca-scan")["cells"]
    lost = sorted(name.replace("=", " ") for name, c in cells.items() if c["first"] != "110")
    return f"110 is first everywhere except at {', '.join(lost)}"


def _mdl() -> str:
    other = record("mdl")["inverse NCA"]
    start, end = other["rank_41"]
    return (
        f"rule 41 falls from rank {start:g} to {end:g} and the top fourteen stay, but with another "
        "automaton observer than the appendix names"
    )


def _flows() -> str:
    scores = record("flows", "scores")
    names = {"Lorenz": "flows.lorenz", "Rossler": "flows.rossler", "Thomas": "flows.thomas"}
    parts = [
        f"{name.replace('Ross', 'Röss')} {scores[name]:.0f} ({claim(entry)})"
        for name, entry in names.items()
    ]
    linear = [bits for name, bits in scores.items() if name not in names]
    low, high = claim("flows.linear")
    return f"{', '.join(parts)}, linear {min(linear):.1f} to {max(linear):.1f} ({low} to {high})"


def _nca() -> str:
    finals = [run["final"] for run in record("nca")["runs"].values()]
    low, high = claim("nca.final")
    return (
        f"all {len(finals)} runs end in one band, {min(finals):.0f} to {max(finals):.0f} bits "
        f"(paper {low} to {high}; the unit of the targets would explain the difference)"
    )


def _encoder() -> str:
    results = record("encoder")

    def ends(key: str) -> str:
        first, last = results[key]["mean"][0], results[key]["mean"][-1]
        return f"{first:.2f} to {last:.2f}"

    paper = ("{} to {}".format(*claim(name)) for name in ("mnist.linear", "mnist.knn"))
    return (
        f"linear probe {ends('linear')}, five neighbours {ends('neighbours')} "
        f"(paper {', '.join(paper)})"
    )


def _encoder_controls() -> str:
    table = record("encoder-controls")["table"]["mnist"]

    def probes(name: str) -> str:
        row = table[name]
        return f"{_mean(row['linear']):.3f} and {_mean(row['neighbours']):.3f}"

    return (
        "a code that was chosen without labels is above raw pixels and PCA-64: "
        f"{probes('conv by mlp, moved')} by linear probe and five neighbours on MNIST "
        f"(pixels {probes('pixels')}, PCA-64 {probes('PCA-64')}, the paper's {probes('paper')})"
    )


def _rl_table() -> str:
    both = ("task", "task+epiplexity")
    means = {task: [statistics.mean(returns(task, c)) for c in both] for task in TASKS}
    helped = [task for task, (alone, bonus) in means.items() if bonus > alone]
    car = [mean_sd(returns("MountainCarContinuous", condition)) for condition in both]
    lander = [f"{mean:.0f}" for mean in means["LunarLander"]]
    return (
        f"with five seeds the bonus helps in the mean on {len(helped)} of {len(TASKS)} tasks "
        f"(paper {claim('rl.improves')}): MountainCarContinuous rises from {car[0]} to {car[1]}, "
        f"LunarLander falls from {lander[0]} to {lander[1]}"
    )


def _calibration() -> str:
    rates = [
        h["rate"] for n, h in record("calibration")["false_positives"].items() if "rows" not in n
    ]
    return f"false positives {min(rates):.3f} to {max(rates):.3f} at p ≤ 0.05"


def _signs() -> str:
    rates = [row["rate"] for row in record("signs")["false_positives"].values()]
    return f"the test of chunked data: false positives {min(rates):.3f} to {max(rates):.3f}"


def _rooms() -> str:
    results = record("rooms")
    place = {room: index for index, room in enumerate(results["rooms"])}
    shares = {row["drive"]: row["mean"] for row in reversed(results["shares"])}
    watching = [shares[d][place["noise"]] for d in ("surprise", "progress", "rnd", "counts")]
    return (
        "agents paid by surprise, progress, RND or counts stay at the noisy television "
        f"({100 * min(watching):.0f} to {100 * max(watching):.0f}% of the time), those paid by "
        f"excess bits at the automaton ({100 * shares['excess'][place['automaton']]:.0f}%)"
    )


def _floor() -> str:
    rows = {(row["name"], row["n"]): row for row in record("floor")["rows"]}
    size = max(n for _, n in rows)
    noise, rule = rows["noise", size], rows["rule 110", size]
    return (
        f"noise has {noise['bits']:.0f} raw bits at n = {size} and no excess within its error; "
        f"rule 110 keeps {rule['excess_bits']:.0f} of {rule['bits']:.0f} bits"
    )


def _life() -> str:
    life = next(row for row in record("life-map")["named"] if row["name"] == "Life")
    return (
        "all 262,144 life-like rules: the excess peaks between stillness and chaos; Life has rank "
        f"{life['again_rank']:,} ([life.md](life.md))"
    )


def _compare() -> str:
    below = record("compare")["below_noise"]["flow"]["period"]
    return (
        f"by raw bits noise beats {100 * below['bits']:.0f}% of 135 flows, by excess "
        f"{100 * below['excess']:.0f}% ([compare.md](compare.md))"
    )


def _explored(title: str) -> list[list[str]]:
    """Return the columns and rows of a table of the suite of sparse tasks."""
    from novelty_lab import records
    from novelty_lab.artefacts.explore.figure import tables

    held = [records.load(path) for path in records.find(ROOT / "results", "explore")]
    (shown,) = [table for table in tables(held) if table.title.startswith(title)]
    return [list(shown.columns), *(list(row) for row in shown.rows)]


def _explore() -> str:
    columns, *rows = _explored(f"{MAZE_NOW}: final return")
    place = columns.index("television in the pixels")
    measured = [row for row in rows if row[place] != "-"]
    compared = [row for row in measured if not row[0].startswith("foresight,")]  # variants of ours
    foresight, *others = [row[place].split()[0] for row in compared]
    return (
        "in a sparse maze with a television in the pixels of the view foresight reaches "
        f"{foresight}, {len(others)} rivals at most {max(others)} "
        "([foresight.md](foresight.md))"
    )


SENTENCES: dict[tuple[str, str], Callable[[], str]] = {
    ("eca", "fig. 2"): _eca,
    ("eca-scan", "app. B"): _eca_scan,
    ("mdl", "app. D"): _mdl,
    ("flows", "app. F"): _flows,
    ("nca", "fig. 3"): _nca,
    ("encoder", "fig. 4"): _encoder,
    ("encoder-controls", "ours"): _encoder_controls,
    ("rl-table", "table 1"): _rl_table,
    ("rooms", "ours"): _rooms,
    ("explore", "ours"): _explore,
    ("floor", "ours"): _floor,
    ("life-map", "ours"): _life,
    ("calibration", "ours"): _calibration,
    ("signs", "ours"): _signs,
    ("compare", "ours"): _compare,
}


MAZE_NOW = "MultiRoom-N4-S5, 800,000 steps, coefficient 0.1 of sizes"
"""The maze at the defaults of ``NoveltyReward``."""


def explore_default() -> str:
    """Say what bonuses reach in the main maze at the defaults of the wrapper."""
    found = [
        [reading, *row]
        for reading in ("final return", "mean of the learning curve", "share of useless actions")
        for row in _explored(f"{MAZE_NOW}: {reading}")[1:]
    ]
    return markdown(["", *_explored(f"{MAZE_NOW}: final return")[0]], found)


def explore() -> str:
    """What each bonus reaches in the main maze, clean and with every distractor."""
    columns, *rows = _explored("MultiRoom-N4-S5, 800,000 steps, coefficient 0.25: final return")
    return markdown(columns, rows)


def explore_frozen() -> str:
    """Say the same at the coefficient of another task, and with one that falls."""
    found: list[list[str]] = []
    columns: list[str] = []
    for words in ("coefficient 0.1", "coefficient 0.5 falling to 0"):
        for reading in ("final return", "mean of the learning curve"):
            columns, *rows = _explored(f"MultiRoom-N4-S5, 800,000 steps, {words}: {reading}")
            wide = dict.fromkeys(("clean", "television in the pixels", "noise everywhere"), "-")
            for row in rows:
                shown = wide | dict(zip(columns[1:], row[1:], strict=True))
                found.append([words, reading, row[0], *shown.values()])
    return markdown(["", "", "bonus", "clean", "television in the pixels", "noise"], found)


# The automaton against an observer that grows


def _shown(name: str, title: str) -> str:
    """Return a table of an artefact's own report."""
    from novelty_lab import records
    from novelty_lab.report import tables_of

    held = records.load(ROOT / "results" / name / "paper-seed0")
    (shown,) = [table for table in tables_of(held) if table.title.startswith(title)]
    return markdown(shown.columns, shown.rows)


def together_verdict() -> str:
    """Say how the growing arm ends beside the others, and what it gained after a growth."""
    summaries = record("nca-growing")["summary"]
    judge = list(next(iter(summaries.values()))["ends"]["growing"])[-3]  # the largest
    names = {"frozen": "the paper's observer", "large": "the large one"}
    lines = []
    for update, summary in summaries.items():
        ends = [
            f"{_signed(against[judge])} bits against {names[arm]}"
            for arm, against in summary["differences"].items()
        ]
        grown = [name for name in summary["phases"] if name not in ("0", "annealed")]
        gains = [f"{_signed(summary['phases'][name]['gained']['own'])} bits" for name in grown]
        lines.append(
            f"- **{update}**: by the judge {judge} the growing arm ends {' and '.join(ends)}. "
            f"Within the phases after a growth it gained {', then '.join(gains) or 'nothing'} "
            "under its own observer."
        )
    return "\n".join(lines)


def _signed(found: dict[str, Any]) -> str:
    """Write a difference with its 95% interval, and whether it is clear of 0."""
    from novelty_lab.artefacts.nca_growing.figure import half_interval, interval

    clear = abs(found["mean"]) > half_interval(found)
    return interval(found) if clear else f"{interval(found)} (not clear of 0)"


TABLES: dict[str, Callable[[], str]] = {
    "appendix-d": appendix_d,
    "dependence-given": given,
    "dependence-level": level,
    "dependence-power": power,
    "dependence-seconds": test_seconds,
    "relations": relations,
    "scans": scans,
    "calibration": calibration,
    "compare": compare,
    "durations": durations,
    "epiplexity-automata": lambda: _shown("epiplexity", "Automata"),
    "epiplexity-orders": lambda: _shown("epiplexity", "Published"),
    "encoder-controls": encoder_controls,
    "encoder-growing": lambda: _shown("encoder-growing", "Excess bits"),
    "encoder-growing-seeds": lambda: _shown("encoder-growing", "Probes over seeds"),
    "explore": explore,
    "explore-default": explore_default,
    "explore-frozen": explore_frozen,
    "life-areas": life_areas,
    "life-named": life_named,
    "life-settings": life_settings,
    "nca-scan": nca_scan,
    "reward-cost": reward_cost,
    "ridge": ridge,
    "rl-default": rl_default,
    "rl-rivals": rl_rivals,
    "rl-tuned": rl_tuned,
    "rooms": rooms_habits,
    "rooms-shares": rooms_shares,
    "signs": signs,
    "summary": summary,
    "together-differences": lambda: _shown("nca-growing", "The growing arm"),
    "together-ends": lambda: _shown("nca-growing", "At the end"),
    "together-phases": lambda: _shown("nca-growing", "Phases"),
    "together-verdict": together_verdict,
}

if __name__ == "__main__":
    main()
