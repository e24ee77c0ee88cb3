"""Put version and changelog into the site, and ideas before attributes in its search."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]
MARK = "<!-- made: version -->"
WEIGHTS = {
    "glossary.md": 4.0,
    "read.md": 4.0,
    "tables.md": 3.0,
    "choose.md": 3.0,
    "install.md": 2.0,
    "results/": 0.1,
    "ledger.md": 0.3,
    "changelog.md": 0.3,
    "reference.md": 0.1,
}
"""Weight of pages in the search, by the start of their address; other pages have 1. The thousand
names of the reference match a word better than the page that explains it."""


def version() -> str:
    """Read the version without importing the package, which would import torch."""
    text = (ROOT / "src" / "learnable_novelty" / "_version.py").read_text(encoding="utf-8")
    return re.findall(r'__version__ = "(.+)"', text)[0]


def on_config(config: Any) -> Any:
    """Write the version at the foot of every page."""
    config.copyright = f"learnable-novelty {version()}, Apache-2.0"
    return config


def on_files(files: Files, config: Any) -> Files:
    """Add the changelog, whose links start at the root of the repository."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").replace("](docs/", "](")
    files.append(File.generated(config, "changelog.md", content=text))
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Write the version where a page asks for it, and weigh the page in the search."""
    for start, weight in WEIGHTS.items():
        if page.file.src_uri.startswith(start):
            page.meta["search"] = {"boost": weight}
    said = f"Version {version()}. [What changed](changelog.md)."
    return markdown.replace(MARK, said)
