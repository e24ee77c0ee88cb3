"""Put the committed records and figures into the site, and point links to them there.

Pages link to ``../results/...`` as the repository lies, so that the links also work in a plain
checkout. The files are taken from there when the site is built; none is kept twice.
"""

from __future__ import annotations

import json
import re
from pathlib import Path, PurePosixPath
from typing import Any

from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]
PATTERNS = (
    "results/**/*.png",
    "results/**/record.json",
    "benchmarks/*.json",
    "lab/novelty_lab/systems/*.csv",
)
LINK = re.compile(r"\]\((?P<up>(?:\.\./)+)(?P<path>(?:results|benchmarks|lab)/[^)#\s]+)\)")
IMAGE = re.compile(r"(?P<image>!\[[^\]]*\]\((?P<path>[^)\s]+\.png)\))")
MARK = "<!-- made: records -->"


def on_files(files: Files, config: Any) -> Files:
    """Add records and figures to the files of the site."""
    for pattern in PATTERNS:
        for path in sorted(ROOT.glob(pattern)):
            uri = path.relative_to(ROOT).as_posix()
            files.append(File.generated(config, uri, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Page, config: Any, files: Files) -> str:
    """Rewrite links into results, and list the records where a page asks for it."""
    if MARK in markdown:
        markdown = markdown.replace(MARK, _listing())
    depth = len(PurePosixPath(page.file.src_uri).parents) - 1
    led = LINK.sub(lambda found: f"]({'../' * depth}{_target(found['path'])})", markdown)
    # A figure opens in its full size: on a phone its letters are small.
    return IMAGE.sub(r"[\g<image>](\g<path>)", led)


def _target(path: str) -> str:
    """Return what a browser can show: the record of a folder, or the list of its runs."""
    file = ROOT / path
    if (file / "record.json").exists():
        return f"{path.rstrip('/')}/record.json"
    return f"records.md#{file.name}" if file.is_dir() else path


def _listing() -> str:
    """List every committed record, a table per experiment that has several."""
    parts: dict[str, list[Path]] = {}
    for path in sorted(ROOT.glob("results/*/*/record.json")):
        parts.setdefault(path.parts[-3], []).append(path)
    lone = [_cells(paths[0], "experiment") for paths in parts.values() if len(paths) == 1]
    lines = ["## Experiments", "", *_table("experiment", lone)]
    for name, paths in parts.items():
        if len(paths) > 1:
            lines += ["", f"## {name}", "", *_table("run", [_cells(p, "run") for p in paths])]
    return "\n".join(lines)


def _table(first: str, rows: list[list[str]]) -> list[str]:
    columns = [first, "configuration", "seed", "device", "wall time", "figure"]
    if not any(row[-1] for row in rows):
        columns, rows = columns[:-1], [row[:-1] for row in rows]
    head = ["| " + " | ".join(columns) + " |", "|" + " --- |" * len(columns)]
    return head + ["| " + " | ".join(row) + " |" for row in rows]


def _cells(path: Path, kind: str) -> list[str]:
    record = json.loads(path.read_text(encoding="utf-8"))
    folder = path.parent.relative_to(ROOT).as_posix()
    shown = record["experiment"] if kind == "experiment" else path.parent.name
    figure = path.parent / "figure.png"
    return [
        f"[{shown}](../{folder})",
        record["config"],
        str(record["seed"]),
        str(record["device"]),
        _duration(record["wall_time_s"]),
        f"[figure](../{folder}/figure.png)" if figure.exists() else "",
    ]


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
