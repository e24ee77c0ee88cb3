"""The route of a call through the library: which files it passes, and in how many calls.

``python tests/test_route.py`` draws the tables of CONTRIBUTING.md again.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

import learnable_novelty as ln
from learnable_novelty.cli.main import main

HOME = Path(ln.__file__).parent
PAGE = Path(__file__).parents[1] / "CONTRIBUTING.md"
LIMITS = {"score": (36, 21_500), "command": (59, 40_500)}
"""Files of ours and calls of Python functions, of all libraries, at most."""


def traced(call: Callable[[], Any]) -> tuple[dict[str, list[str]], int]:
    """Return the functions of each file of ours in the order of their first call; and all calls."""
    files: dict[str, list[str]] = {}
    calls = 0

    def trace(frame: Any, event: str, _: Any) -> None:
        nonlocal calls
        if event != "call":
            return
        calls += 1
        path = Path(frame.f_code.co_filename)
        if HOME in path.parents:
            name = frame.f_code.co_qualname
            known = files.setdefault(path.relative_to(HOME).as_posix(), [])
            is_public = not any(part.startswith(("_", "<")) for part in name.split("."))
            if is_public and name not in known:
                known.append(name)

    sys.setprofile(trace)
    try:
        call()
    finally:
        sys.setprofile(None)
    return files, calls


def data() -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(2000, 10, generator=generator)
    return x, x[:, :3].sin() + 0.5 * torch.randn(2000, 3, generator=generator)


def route_of_score() -> tuple[dict[str, list[str]], int]:
    """Trace a second call: the first one imports and compiles."""
    x, y = data()
    ln.score(x, y)
    return traced(lambda: ln.score(x, y))


def drawn(files: dict[str, list[str]]) -> str:
    """Return the table of the page."""
    rows = ["| file | functions, in the order of their first call |", "| --- | --- |"]
    for file, names in files.items():
        rows.append(f"| `{file}` | {', '.join(map('`{}`'.format, names))} |")
    return "\n".join(rows)


def test_the_route_of_a_score_is_the_one_that_is_committed_and_short():
    files, calls = route_of_score()
    assert drawn(files) in PAGE.read_text(), "run python tests/test_route.py"
    most_files, most_calls = LIMITS["score"]
    assert len(files) <= most_files and calls <= most_calls


def test_a_scored_file_passes_few_files(tmp_path, capsys):
    path = tmp_path / "table.csv"
    x, y = data()
    rows = torch.cat([x, y], dim=1)[:500].tolist()
    names = [f"x{k}" for k in range(10)] + ["a", "b", "c"]
    path.write_text("\n".join([",".join(names), *(",".join(map(repr, row)) for row in rows)]))
    command = ["score", str(path), "--targets", "a,b,c"]
    main(command)
    files, calls = traced(lambda: main(command))
    capsys.readouterr()
    most_files, most_calls = LIMITS["command"]
    assert len(files) <= most_files and calls <= most_calls


if __name__ == "__main__":
    start, end = "<!-- the route of a score -->", "<!-- end of the route -->"
    before, _, rest = PAGE.read_text().partition(start)
    table = drawn(route_of_score()[0])
    PAGE.write_text(f"{before}{start}\n\n{table}\n\n{end}{rest.partition(end)[2]}")
