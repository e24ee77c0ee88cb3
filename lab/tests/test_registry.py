"""One folder is one artefact; listing them is cheap."""

import subprocess
import sys
from pathlib import Path

from novelty_lab import studies
from novelty_lab.registry import all_artefacts


def test_every_folder_is_an_artefact_or_several_in_the_order_of_the_paper():
    lab = Path(studies.__path__[0]).parent
    found = all_artefacts()
    folders = {
        f"novelty_lab.{p.parent.relative_to(lab)}".replace("/", ".")
        for wing in ("paper", "studies")
        for p in lab.glob(f"{wing}/**/__init__.py")
        if "ARTEFACT" in p.read_text()
    }
    assert {artefact.package for artefact in found.values()} == folders
    with_stem = {name for name, artefact in found.items() if artefact.stem}
    assert with_stem >= {"eca-scan", "temporal", "nca-scan", "encoder-scan", "mdl-nca"}
    orders = [artefact.order for artefact in found.values()]
    assert orders == sorted(set(orders))
    assert list(found)[:3] == ["overview", "eca", "eca-scan"]
    for artefact in found.values():
        assert artefact.module("figure") is not None
        assert artefact.experiment is not None


def test_ledger_and_page_import_no_matplotlib():
    code = (
        "import sys, novelty_lab.registry, novelty_lab.ledger.ledger, novelty_lab.explorer, "
        "novelty_lab.explorer.server; print('matplotlib' in sys.modules)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"
