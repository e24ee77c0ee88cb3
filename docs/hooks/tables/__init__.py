"""Tables of README and docs that show records; ``make tables`` writes them again.

A page asks for a table with the mark ``<!-- table: NAME -->``; the text up to ``<!-- end -->`` is
replaced. A test holds the pages to what the committed records say.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from docs.hooks import badges
from docs.hooks.tables import agents, studies
from docs.hooks.tables.records import ROOT

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
    from docs.hooks.tables import start_figure
    from novelty_lab.style import in_style

    with in_style():
        drawn = start_figure.figure(ROOT / "results")
        drawn.savefig(path, dpi=160, format="png", metadata={"Software": None})


TABLES: dict[str, Callable[[], str]] = {
    "calibration": studies.calibration,
    "calibration-coverage": studies.calibration_coverage,
    "durations": studies.durations,
    "explore-default": agents.explore_default,
    "life-named": studies.life_named,
    "rl-together": agents.rl_together,
    "rooms-shares": agents.rooms_shares,
}
