"""What the docs say to type is typed here."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCKS = [
    pytest.param(code, id=f"{page.name}-{number}")
    for page in PAGES
    for number, code in enumerate(re.findall(r"```python\n(.*?)```", page.read_text(), re.S))
]


@pytest.mark.parametrize("code", BLOCKS)
def test_example_runs(code):
    exec(compile(code, "example", "exec"), {})


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_exist(page):
    from learnable_novelty.cli import make_parser
    from learnable_novelty.experiments import COLLECTIONS, EXPERIMENTS

    parser = make_parser()
    text = page.read_text()
    commands = re.findall(r"^novelty ([^#\n]+)", text, re.M)
    commands += re.findall(r"`novelty ([^`]+)`", text)
    for command in commands:
        options = parser.parse_args(command.split())
        if command.startswith("run ") and options.name != "NAME":
            assert options.name in EXPERIMENTS | COLLECTIONS


def test_settings_of_the_makefile_exist():
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"`?make (\w+)`?", (ROOT / "README.md").read_text()):
        assert re.search(rf"^{target}:", makefile, re.M), target
