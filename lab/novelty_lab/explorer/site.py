"""The site as a mapping from path to bytes: page, scripts, data, and the files that it links to.

Data files are scripts that assign, not JSON that is fetched: so the page also works when
``index.html`` is opened as a file.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from learnable_novelty._version import __version__
from learnable_novelty.errors import UserError
from learnable_novelty.measure.defaults import LINEAR_LAST
from learnable_novelty.storage import write_whole
from novelty_lab.explorer.claims import claims, linked_files
from novelty_lab.explorer.panel import find_panels, read_script

Site = dict[str, bytes]
SCRIPTS_HERE = b"<!-- scripts of the panels -->"
"""Where ``index.html`` loads the scripts of the artefacts' panels."""


def build(results: Path) -> Site:
    """Make all files of the page from a folder of records."""
    if not results.is_dir():
        raise UserError(f"expected a folder of results, but {results} is not a folder")
    site = dict(_files(resources.files("novelty_lab.explorer") / "assets"))
    judged = claims(results)
    data: dict[str, Any] = {}
    scripts: list[str] = []
    for folder, panel in find_panels().items():
        for name in panel.scripts:
            scripts.append(f"js/{folder}/{name}")
            site[scripts[-1]] = read_script(folder, name)
        data |= dict(panel.data(results / folder.replace("_", "-")))
    data["ledger"] = judged
    # The observer of the page is that of ``ln.score``.
    index = {"version": __version__, "names": [*data], "linear_last": LINEAR_LAST}
    for name, content in {**data, "index": index}.items():
        site[f"data/{name}.js"] = _data_script(name, content)
    site |= dict(linked_files(results, judged["rows"]))
    tags = "\n".join(f'<script src="{name}"></script>' for name in scripts)
    site["index.html"] = site["index.html"].replace(SCRIPTS_HERE, tags.encode())
    return site


def export(results: Path, directory: Path) -> int:
    """Write the page into a folder; return the number of files."""
    site = build(results)
    for name, content in site.items():
        write_whole(directory / name, content)
    return len(site)


def _data_script(name: str, content: Any) -> bytes:
    text = json.dumps(content, allow_nan=False, separators=(",", ":"))
    return f"window.LN.data[{json.dumps(name)}]={text};\n".encode()


def _files(folder: Traversable, prefix: str = "") -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _files(entry, f"{prefix}{entry.name}/")
        elif entry.name.endswith((".html", ".css", ".js")):
            yield prefix + entry.name, entry.read_bytes()
