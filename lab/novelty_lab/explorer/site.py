"""The site as a mapping from path to bytes: page, scripts, data, and the files that it links to.

Data files are scripts that assign, not JSON that is fetched: so the page also works when
``index.html`` is opened as a file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from importlib import resources
from pathlib import Path
from typing import Any

from learnable_novelty._version import __version__
from learnable_novelty.errors import UserError
from learnable_novelty.storage import write_whole
from novelty_lab.explorer.card import draw_card
from novelty_lab.explorer.claims import claims, linked_files
from novelty_lab.explorer.panel import find_panels, read_script

Site = dict[str, bytes]
CARD = "card.png"
"""The picture of the page that other sites show."""
SCRIPTS_HERE = b"<!-- scripts of the panels -->"
"""Where ``index.html`` loads the scripts of the artefacts' panels."""


def build(results: Path, *, address: str = "") -> Site:
    """Make all files of the page.

    Args:
        results: folder of records.
        address: where the page will be found, for sites that show its card beside a link.

    Raises:
        UserError: if there is no results folder.
    """
    if not results.is_dir():
        raise UserError(f"expected a folder of results, but {results} is not a folder")
    site = dict(_assets())
    names: list[str] = []
    scripts: list[str] = []
    for folder, panel in find_panels().items():
        own = {f"js/{folder}/{name}": read_script(folder, name) for name in panel.scripts}
        scripts += own
        site |= own
        for name, content in panel.data(results / folder.replace("_", "-")):
            names.append(name)
            site[f"data/{name}.js"] = _data_script(name, content)
    judged = claims(results)
    site["data/ledger.js"] = _data_script("ledger", judged)
    site |= dict(linked_files(results, judged["rows"]))
    site[CARD] = draw_card(results)
    html = site["index.html"].replace(SCRIPTS_HERE, _tags(scripts))
    site["index.html"] = html.replace(
        f'content="{CARD}"'.encode(), f'content="{_full(address)}"'.encode()
    )
    names.append("ledger")
    index = {"version": __version__, "names": names}
    site["data/index.js"] = _data_script("index", index)
    return site


def export(results: Path, directory: Path, address: str = "") -> int:
    """Write the page into a folder; return the number of files."""
    site = build(results, address=address)
    for name, content in site.items():
        write_whole(directory / name, content)
    return len(site)


def _full(address: str) -> str:
    """Return the address of the card: in full, if that of the page is known."""
    if address and not re.fullmatch(r"https?://[^\s\"'<>]+", address):
        raise UserError(f"expected an address such as https://example.org/page/, got {address!r}")
    return f"{address.rstrip('/')}/{CARD}" if address else CARD


def _data_script(name: str, content: Any) -> bytes:
    text = json.dumps(content, allow_nan=False, separators=(",", ":"))
    return f"window.LN.data[{json.dumps(name)}]={text};\n".encode()


def _tags(scripts: Iterable[str]) -> bytes:
    return "\n".join(f'<script src="{name}"></script>' for name in scripts).encode()


def _assets() -> Iterator[tuple[str, bytes]]:
    root = resources.files("novelty_lab.explorer") / "assets"
    for entry in root.iterdir():
        if entry.is_file():
            yield entry.name, entry.read_bytes()
    for folder in ("js", "js/observer", "js/start", "js/tables", "js/yours"):
        for entry in (root / folder).iterdir():
            if entry.name.endswith(".js"):
                yield f"{folder}/{entry.name}", entry.read_bytes()
