"""Tables of README and docs that show records; ``make tables`` writes them again.

A page asks for a table with the mark ``<!-- table: NAME -->``; the text up to ``<!-- end -->`` is
replaced. Tables are those of the artefacts: here it is only said which of their columns and rows a
page shows. A test holds the pages to what the committed records say.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from docs.hooks import badges, start_figure
from novelty_lab import records
from novelty_lab.registry import all_artefacts, find_artefact
from novelty_lab.style import in_style

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "results"
MARK = re.compile(r"(?P<mark><!-- table: (?P<name>[\w-]+) -->\n).*?(?P<end><!-- end -->)", re.S)


@dataclass(frozen=True)
class Shown:
    """A part of a table of an artefact."""

    artefact: str
    title: str
    """What the title of its table begins with."""
    columns: Sequence[str] = ()
    """All by default; "theirs: ours" gives a column another heading."""
    rows: Sequence[str] = ()
    """By their first cell; all by default."""

    def markdown(self) -> str:
        """Write the table from the committed records."""
        artefact = find_artefact(self.artefact)
        paths = records.find(RESULTS, self.artefact)
        chosen = [path for path in paths if artefact.many_runs or path.name == "paper-seed0"]
        made = artefact.tables([records.load(path) for path in chosen])
        (table,) = [one for one in made if one.title.startswith(self.title)]
        headings = [heading.partition(": ") for heading in self.columns or table.columns]
        places = [table.columns.index(theirs) for theirs, _, _ in headings]
        kept = [row for row in table.rows if not self.rows or row[0] in self.rows]
        return _markdown(
            [ours or theirs for theirs, _, ours in headings],
            [[row[place] for place in places] for row in kept],
        )


def _markdown(columns: list[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    escaped = ([cell.replace("|", r"\|") for cell in line] for line in lines)
    return "\n".join(f"| {' | '.join(line)} |" for line in escaped)


def _durations() -> str:
    """Say how long every artefact takes at the paper's configuration."""
    timed = [artefact for artefact in all_artefacts().values() if artefact.takes]
    rows = [[f"`{one.name}`", one.title, one.takes] for one in timed]
    return _markdown(["artefact", "shows", "takes"], rows)


TABLES = {
    "calibration": Shown(
        "calibration",
        "What the tests say",
        ("data", "p ≤ 0.05", "any dependence", "a bend", "a direction kept: direction kept",
         "no p-value", "data sets: sets"),
    ),
    "calibration-coverage": Shown(
        "calibration",
        "What 95% intervals",
        ("noise, signal", "covered", "mean share", "population"),
    ),
    "explore-default": Shown(
        "explore", "MultiRoom-N4-S5, 800,000 steps, coefficient 0.1: final return"
    ),
    "life-named": Shown(
        "life-map",
        "Rules with a name",
        ("name: rule", "on the map: excess on the map", "again (95%)",
         "place: place among the best, again"),
        ("Anneal", "Holstein", "Day & Night", "Life", "Diamoeba", "HighLife", "Morley"),
    ),
    "rl-together": Shown(
        "rl-table",
        "All tasks together",
        ("condition", "tasks above task only in the mean: tasks above task only",
         "IQM: interquartile mean", "P(better than task only): P(return above)",
         "P(curve above)"),
        ("epiplexity only", "task + magnitude", "task + epiplexity"),
    ),
    "rooms-shares": Shown(
        "rooms",
        "Share of time",
        ("drive: paid by", "noisy television", "dark room", "automaton"),
    ),
    "tables-compared": Shown(
        "tables",
        "Ours less the other's share, reported",
    ),
}  # fmt: skip


def pages() -> list[Path]:
    """List the pages that may hold tables."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]


def filled(text: str) -> str:
    """Return a page with every marked table made again from the records."""

    def made(name: str) -> str:
        return _durations() if name == "durations" else TABLES[name].markdown()

    return MARK.sub(lambda m: f"{m['mark']}\n{made(m['name'])}\n\n{m['end']}", text)


def main() -> None:
    """Write the tables of all pages, the picture of the start page, and the badges."""
    for path in pages():
        text = path.read_text(encoding="utf-8")
        if filled(text) != text:
            path.write_text(filled(text), encoding="utf-8")
            print(f"written: {path.relative_to(ROOT)}")
    with in_style():
        drawn = start_figure.figure(RESULTS)
        drawn.savefig(RESULTS / "start.png", dpi=160, format="png", metadata={"Software": None})
    badges.write()


if __name__ == "__main__":
    main()
