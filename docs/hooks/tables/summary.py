"""One sentence on every artefact, and how long each takes."""

from __future__ import annotations

import statistics
from collections.abc import Callable

from docs.hooks.tables.agents import MAZE_NOW, TASKS, explored, returns
from docs.hooks.tables.growing import share
from docs.hooks.tables.paper import mean_of
from docs.hooks.tables.records import claim, markdown, mean_sd, observer_of, record


def durations() -> str:
    """Say how long every artefact takes at the paper's configuration."""
    from novelty_lab.registry import all_artefacts

    timed = [artefact for artefact in all_artefacts().values() if artefact.takes]
    rows = ([f"`{one.name}`", one.title, one.takes] for one in timed)
    return markdown(["artefact", "shows", "takes"], rows)


def summary() -> str:
    """Say in one line per artefact what we reproduced."""
    rows = [
        [f"`{name}` ({place})", sentence() + observer_of(name)]
        for (name, place), sentence in SENTENCES.items()
    ]
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
        return f"{mean_of(row['linear']):.3f} and {mean_of(row['neighbours']):.3f}"

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
    seeds = len(returns("Pendulum", "task"))
    return (
        f"with {seeds} seeds the bonus helps in the mean on {len(helped)} of {len(TASKS)} tasks "
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


def _explore() -> str:
    columns, *rows = explored(f"{MAZE_NOW}: final return")
    place = columns.index("television in the pixels")
    measured = [row for row in rows if row[place] != "-"]
    reached = {row[0]: row[place].split()[0].strip(",") for row in measured}
    others = [value for name, value in reached.items() if not name.startswith("foresight")]
    return (
        "in a sparse maze with a television in the pixels of the view foresight reaches "
        f"{reached['foresight']}, the task alone and {len(others) - 1} other bonuses "
        f"{max(others)} at most ([foresight.md](foresight.md))"
    )


def _growing() -> str:
    found = record("growing")["functions"]
    most = max(row["n"] for row in found)
    five = {r["learner"]: r["r2"] for r in found if r["n"] == most and " 5 of " in r["function"]}
    shares = [share(five[name]) for name in ("frozen", "wide frozen", "growing")]
    return (
        f"of a product of five of twelve signs ({most:,} rows) the frozen observer explains "
        f"{shares[0]} of new rows' variance, one of 2,048 features {shares[1]}, and one that grows "
        f"to at most 512 features {shares[2]} ([growing.md](growing.md))"
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
    ("growing", "ours"): _growing,
}
