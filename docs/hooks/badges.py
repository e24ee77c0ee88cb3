"""The badges of the README, made from what they speak of; ``make tables`` writes them again.

They are files of this repository, so that a page asks no other site for them.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

from docs.hooks.release import version
from novelty_lab.ledger import ledger

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "assets" / "badges"
WIDTH = 6.6
"""Pixels of a letter."""


def badges() -> dict[str, str]:
    """Return the pictures by name."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    verdicts = [row.verdict for row in ledger.rows(ROOT / "results")]
    said = {
        "version": version(),
        "python": project["requires-python"].replace(">=", "") + " or later",
        "license": project["license"],
        "claims of the paper": f"{verdicts.count('reproduced')} of {len(verdicts)} reproduced",
    }
    return {name.split()[0]: picture(name, value) for name, value in said.items()}


def picture(name: str, value: str) -> str:
    """Draw a badge: what it is about, and what holds."""
    left, right = (round(WIDTH * len(text) + 14) for text in (name, value))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" '
        f'aria-label="{name}: {value}"><rect width="{left}" height="20" fill="#444"/>'
        f'<rect x="{left}" width="{right}" height="20" fill="#00609a"/>'
        '<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" '
        f'text-anchor="middle"><text x="{left / 2}" y="14">{name}</text>'
        f'<text x="{left + right / 2}" y="14">{value}</text></g></svg>\n'
    )


def write() -> None:
    """Write all badges."""
    FOLDER.mkdir(exist_ok=True)
    for name, drawn in badges().items():
        (FOLDER / f"{name}.svg").write_text(drawn, encoding="utf-8")
