"""The site as a mapping from path to bytes: assets, data, and the records and figures it names.

Data files are scripts that assign, not JSON that is fetched: so the page also works when
``index.html`` is opened as a file.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

from learnable_novelty._version import __version__
from learnable_novelty.errors import UserError
from novelty_lab.explorer.data import collect_data, originals
from novelty_lab.explorer.upload import LARGEST

Site = dict[str, bytes]


def build(results: Path, *, served: bool = False) -> Site:
    """Make all files of the page.

    Args:
        results: folder of records.
        served: whether the page can ask a server to score a file.

    Raises:
        ValueError: if there is no results folder.
    """
    if not results.is_dir():
        raise UserError(f"expected a folder of results, {results} is none")
    site = dict(_assets())
    names: list[str] = []
    for name, content in collect_data(results):
        names.append(name)
        site[f"data/{name}.js"] = _script(name, content)
        if name == "ledger":
            site |= dict(originals(results, content["rows"]))
    index = {"served": served, "version": __version__, "names": names, "largest": LARGEST}
    site["data/index.js"] = _script("index", index)
    return site


def export(results: Path, directory: Path) -> int:
    """Write the page into a folder; return the number of files."""
    site = build(results)
    for name, content in site.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return len(site)


def _script(name: str, content: Any) -> bytes:
    text = json.dumps(content, allow_nan=False, separators=(",", ":"))
    return f"window.LN.data[{json.dumps(name)}]={text};\n".encode()


def _assets() -> Iterator[tuple[str, bytes]]:
    root = resources.files("novelty_lab.explorer") / "assets"
    for entry in root.iterdir():
        if entry.is_file():
            yield entry.name, entry.read_bytes()
    for entry in (root / "js").iterdir():
        if entry.name.endswith(".js"):
            yield f"js/{entry.name}", entry.read_bytes()
