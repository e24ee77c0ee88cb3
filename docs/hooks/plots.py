"""Draw the examples of the reference: a marked block is run, and its ``figure`` shown below it.

A page marks a block with ``<!-- plot: NAME: what it shows -->``. The tests run these blocks like
all others; where the notebooks are not run, neither are they, and the page has no picture.
"""

from __future__ import annotations

import os
import re
from io import BytesIO
from pathlib import PurePosixPath
from typing import Any

from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

BLOCK = re.compile(
    r"<!-- plot: (?P<name>[\w-]+): (?P<shows>[^>]+) -->\n(?P<fence>```python\n(?P<code>.*?)```\n)",
    re.S,
)


def on_page_markdown(markdown: str, page: Page, config: Any, files: Files) -> str:
    """Put the picture of every marked block below it."""
    if os.environ.get("RUN_NOTEBOOKS", "true").lower() == "false":
        return BLOCK.sub(r"\g<fence>", markdown)
    up = "../" * (len(PurePosixPath(page.file.src_uri).parents) - 1)

    def drawn(block: re.Match[str]) -> str:
        uri = f"assets/plots/{block['name']}.png"
        files.append(File.generated(config, uri, content=_draw(block["code"], block["name"])))
        return f"{block['fence']}\n![{block['shows']}]({up}{uri})\n"

    return BLOCK.sub(drawn, markdown)


def _draw(code: str, name: str) -> bytes:
    names: dict[str, Any] = {}
    exec(compile(code, name, "exec"), names)
    image = BytesIO()
    names["figure"].savefig(image, dpi=110, format="png", metadata={"Software": None})
    return image.getvalue()
