"""The site: data files, scripts and links, and what the command says of bad input."""

import base64
import re

import numpy as np
import pytest

from lab.tests.explorer.page import RESULTS, content
from learnable_novelty.cli.main import make_parser
from novelty_lab import records, studies
from novelty_lab.explorer.packing import packed
from novelty_lab.explorer.site import build
from novelty_lab.records import Record
from novelty_lab.registry import all_artefacts


def test_the_page_names_only_its_own_files(site):
    own = re.compile(r"http://www\.w3\.org/2000/svg")  # a namespace, not an address
    for name, held in site.items():
        if not name.startswith(("data/", "results/")) and not name.endswith(".png"):
            assert "://" not in own.sub("", held.decode()), name
    html = site["index.html"].decode()
    named = re.findall(r'(?:src|href)="([^"#:]+)"', html)
    assert set(named) <= set(site)
    assert {n for n in site if n.startswith("js/")} <= set(named)


def test_automata_hold_what_the_record_holds(site):
    record = records.load(RESULTS / "eca" / "paper-seed0")
    rules = content(site, "automata")["rules"]
    denoised = record.results["denoised"]
    assert {str(r["rule"]) for r in rules} == set(record.results["ranking"])
    assert [r["denoised"] for r in rules] == pytest.approx(
        sorted(denoised.values(), reverse=True), rel=1e-4
    )
    assert [r["bits"] for r in rules] == pytest.approx(
        [(record.scores or {})[str(r["rule"])] for r in rules], rel=1e-4
    )


def test_every_command_that_the_page_names_is_known(site):
    parser = make_parser()
    named = {row["command"] for row in content(site, "ledger")["rows"]} - {""}
    for name, held in site.items():
        if name.startswith("js/"):
            named |= set(re.findall(r'command: "(novelty [^"]+)"', held.decode()))
    assert len(named) > 20
    for command in named:
        parser.parse_args(command.split()[1:])


def artefact(folder, name):
    """Write the package of an artefact with a panel."""
    (folder / name).mkdir()
    (folder / name / "__init__.py").write_text(
        "from novelty_lab.artefact import Artefact\n\n"
        "ARTEFACT = Artefact(__name__, 'Ours: an artefact', order=1)\n"
    )
    (folder / name / "panel.js").write_text("LN.panels.push({});\n")
    (folder / name / "panel.py").write_text(
        "from novelty_lab.explorer.panel import Panel, from_paper_run\n\n"
        "def reduce(record):\n    yield 'mine', {'seed': record.seed}\n\n"
        "PANEL = Panel(order=11, data=from_paper_run(reduce))\n"
    )


def test_an_artefact_with_a_panel_is_one_folder(tmp_path, monkeypatch):
    artefact(tmp_path, "my_artefact")
    Record("my-artefact", "paper", {}, 0, {}).save(tmp_path)
    all_artefacts.cache_clear()
    try:
        with monkeypatch.context() as patched:
            patched.setattr(studies, "__path__", [*studies.__path__, str(tmp_path)])
            site = build(tmp_path)
    finally:
        all_artefacts.cache_clear()
    assert content(site, "mine") == {"seed": 0}
    scripts = re.findall(
        r'src="(js/(?!observer|start|tables|yours|meaning)\w+/\w+\.js)"',
        site["index.html"].decode(),
    )
    assert scripts[:2] == ["js/eca/panel.js", "js/my_artefact/panel.js"]
    assert site["js/my_artefact/panel.js"] == b"LN.panels.push({});\n"


def test_arrays_keep_their_bytes():
    array = np.random.default_rng(0).standard_normal((3, 4)).astype(np.float16)[:, ::2]
    held = packed(array)
    back = np.frombuffer(base64.b64decode(held["base64"]), held["dtype"]).reshape(held["shape"])
    np.testing.assert_array_equal(back, array)
