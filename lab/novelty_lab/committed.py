"""The committed results, wherever the lab is installed: a checkout's folder, or the wheel's own."""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from learnable_novelty.errors import UserError

HERE = Path("results")
RESULTS_HINT = "run this where the results folder is, or name the folder with --out"


@contextmanager
def results_folder(wanted: Path | None) -> Iterator[Path]:
    """Yield the folder that was asked for, or ``results`` here, or the committed results.

    Those of a wheel are packed, without figures; they are unpacked into a temporary folder.

    Raises:
        UserError: if there is no such folder, or no records were installed.
    """
    if wanted is not None or HERE.is_dir():
        folder = wanted or HERE
        if not folder.is_dir():
            raise UserError(
                f"expected a folder of results, but {folder} is not a folder; {RESULTS_HINT}"
            )
        yield folder
        return
    package = _package()
    checkout = Path(str(package)).parent.parent / "results"
    packed = package / "results.zip"
    if checkout.is_dir():
        yield checkout
    elif packed.is_file():
        with tempfile.TemporaryDirectory() as folder, packed.open("rb") as file:
            with zipfile.ZipFile(file) as records:
                records.extractall(folder)
            yield Path(folder)
    else:
        raise UserError(f"there are no results here, and none were installed; {RESULTS_HINT}")


def _package() -> Traversable:
    return resources.files("novelty_lab")
