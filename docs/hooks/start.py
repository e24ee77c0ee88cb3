"""Draw the picture of the start page from the committed records."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

RESULTS = Path(__file__).parents[2] / "results"


def on_files(files: Files, config: Any) -> Files:
    """Add the picture to the files of the site."""
    from novelty_lab import start_figure as start
    from novelty_lab.style import in_style

    drawn = BytesIO()
    with in_style():
        start.figure(RESULTS).savefig(drawn, dpi=160, format="png", metadata={"Software": None})
    files.append(File.generated(config, "assets/start.png", content=drawn.getvalue()))
    return files
