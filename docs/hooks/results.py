"""Put the committed records, with READMEs and figures, into the site, and point links there.

Pages link to ``../results/...`` as the repository lies, so that the links also work in a plain
checkout. The files are taken from there when the site is built; none is kept twice.
"""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from typing import Any

from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]
PATTERNS = (
    "results/**/*.png",
    "results/**/record.json",
    "results/*/README.md",
    "benchmarks/*.json",
)
LINK = re.compile(r"\]\((?P<up>(?:\.\./)+)(?P<path>(?:results|benchmarks)/[^)#\s]+)\)")
IMAGE = re.compile(r"(?P<image>!\[[^\]]*\]\((?P<path>[^)\s]+\.png)\))")


def on_files(files: Files, config: Any) -> Files:
    """Add records and figures to the files of the site."""
    for pattern in PATTERNS:
        for path in sorted(ROOT.glob(pattern)):
            uri = path.relative_to(ROOT).as_posix()
            files.append(File.generated(config, uri, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Rewrite links into results."""
    depth = len(PurePosixPath(page.file.src_uri).parents) - 1
    led = LINK.sub(lambda found: f"]({'../' * depth}{_target(found['path'])})", markdown)
    # A figure opens in its full size: on a phone its letters are small.
    return IMAGE.sub(r"[\g<image>](\g<path>)", led)


def _target(path: str) -> str:
    """Return what a browser can show: the record of a folder, or what is said of its runs."""
    for name in ("record.json", "README.md"):
        if (ROOT / path / name).exists():
            return f"{path.rstrip('/')}/{name}"
    return path
