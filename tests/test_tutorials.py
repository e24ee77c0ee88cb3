"""A tutorial is followed from top to bottom: its code, its commands, and what they print."""

import contextlib
import doctest
import io
import re
import shlex
from pathlib import Path

import pytest

from learnable_novelty.cli.main import main

TUTORIALS = sorted((Path(__file__).parents[1] / "docs" / "tutorials").glob("*.md"))
FENCE = re.compile(r"^```(?P<kind>\w+)\n(?P<body>.*?)^```", re.S | re.M)
REFUSED = "# exit code 2"


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_tutorial_runs_and_prints_what_it_says(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names, printed = {}, ""
    for block in FENCE.finditer(page.read_text()):
        kind, body = block["kind"], block["body"]
        if kind == "text":
            assert same(body, printed), f"{page.name} says:\n{body}\nand this came:\n{printed}"
            continue
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            if kind == "python":
                exec(compile(body, page.name, "exec"), names)
            else:
                assert kind == "sh"
                follow(body)
        printed = out.getvalue()


def follow(body):
    for line in body.splitlines():
        command, *words = shlex.split(line, comments=True)
        assert command == "novelty"
        assert main(words) == (2 if REFUSED in line else 0), line


def same(said, came):
    # A progress bar leaves blank lines where there is no terminal.
    told = "".join(line + "\n" for line in came.splitlines() if line.strip())
    return doctest.OutputChecker().check_output(said, told, doctest.ELLIPSIS)
