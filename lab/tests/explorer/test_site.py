"""The site: data files, scripts and links, and what the command says of bad input."""

import base64
import re

import numpy as np
import pytest

from lab.tests.explorer.page import RESULTS, content
from learnable_novelty.cli.main import make_parser
from novelty_lab import records
from novelty_lab.explorer.packing import packed


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


def test_arrays_keep_their_bytes():
    array = np.random.default_rng(0).standard_normal((3, 4)).astype(np.float16)[:, ::2]
    held = packed(array)
    back = np.frombuffer(base64.b64decode(held["base64"]), held["dtype"]).reshape(held["shape"])
    np.testing.assert_array_equal(back, array)
