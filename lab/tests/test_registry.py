"""One folder is one artefact; listing them is cheap."""

import subprocess
import sys
from pathlib import Path

from novelty_lab import studies
from novelty_lab.registry import all_artefacts

FOLDER = """
from novelty_lab.artefact import Artefact

ARTEFACT = Artefact(__name__, "Ours: nothing at all", order=15, takes="a moment")
"""


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


def test_adding_an_artefact_touches_one_folder(tmp_path, monkeypatch, capsys):
    from learnable_novelty.cli.main import main

    folder = tmp_path / "made_up"
    folder.mkdir()
    (folder / "__init__.py").write_text(FOLDER)
    monkeypatch.setattr(studies, "__path__", [*studies.__path__, str(tmp_path)])
    all_artefacts.cache_clear()
    try:
        assert list(all_artefacts())[1] == "made-up"
        assert main(["list", "--out", str(tmp_path)]) == 0
        assert "made-up          Ours: nothing at all (a moment)" in capsys.readouterr().out
        assert all_artefacts()["made-up"].claims == {}
        assert all_artefacts()["made-up"].panel is None
    finally:
        all_artefacts.cache_clear()
        sys.modules.pop("novelty_lab.studies.made_up", None)


def test_ledger_and_page_import_no_matplotlib():
    code = (
        "import sys, novelty_lab.registry, novelty_lab.ledger.ledger, novelty_lab.explorer, "
        "novelty_lab.explorer.server; print('matplotlib' in sys.modules)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"
