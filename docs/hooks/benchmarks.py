"""Insert tables of the committed timings into the page on benchmarks."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
MARK = re.compile(r"<!-- made: (?P<path>benchmarks/[\w-]+\.json) -->")
COLUMNS = ("what", "plain way", "ours", "ratio", "required", "met")


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Replace a mark by the machine and the rows of the file that it names."""
    return MARK.sub(lambda match: _section(ROOT / match["path"]), markdown)


def _section(path: Path) -> str:
    sys.path.insert(0, str(ROOT))
    try:
        from benchmarks.timing import Row
    finally:
        sys.path.remove(str(ROOT))
    timings = json.loads(path.read_text(encoding="utf-8"))
    machine = ", ".join(f"{name} {value}" for name, value in timings["machine"].items() if value)
    lines = [f"*Machine: {machine.replace('_', ' ')}.*", ""]
    lines += ["| " + " | ".join(COLUMNS) + " |", "| --- | ---: | ---: | ---: | --- | --- |"]
    for row in (Row(**entry) for entry in timings["rows"]):
        both = [row.text(row.plain), row.text(row.ours), f"{row.ratio:.3g}"]
        cells = [row.name, *both, row.requirement, "yes" if row.met else "**no**"]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)
