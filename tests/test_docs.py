"""What the docs say to type is typed here."""

import contextlib
import doctest
import importlib
import io
import pkgutil
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

import learnable_novelty
from learnable_novelty.cli.main import main, make_parser

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("**/*.md"))]
TEXTS = {page.relative_to(ROOT).as_posix(): page.read_text() for page in PAGES}
BLOCKS = [
    pytest.param(code, id=f"{name}-{number}")
    for name, text in TEXTS.items()
    if "tutorials/" not in name  # followed as a whole below
    for number, code in enumerate(re.findall(r"```python\n(.*?)```", text, re.S))
]
FENCES = re.compile(r"^```(?:sh|bash|console)\n(.*?)^```", re.S | re.M)
INLINE = re.compile(r"`((?:novelty|make|pip|python|mkdocs) [^`\n]+)`")
NAMES = {"NAME": "eca", "DIR": "images", "FILE": "series.csv"}
"""Words that stand for something of the reader's own."""


def commands_of(text):
    lines = [line for block in FENCES.findall(text) for line in block.splitlines()]
    found = [shlex.split(line, comments=True) for line in lines + INLINE.findall(text)]
    return [tuple(words) for words in found if words]


def commands(program):
    found = {words for text in TEXTS.values() for words in commands_of(text)}
    return sorted(words for words in found if words[: len(program)] == program)


def shown(words):
    return " ".join(words)


NOVELTY = [words for words in commands(("novelty",)) if "--help" not in words]


def starting(command):
    return [words for words in NOVELTY if words[1] == command]


KNOWN = (
    ("git", "clone"),
    ("cd", "learnable-novelty"),
    ("python", "-c"),
    ("novelty",),
    ("make",),
    ("pip", "install"),
    ("python", "-m"),
    ("python", "tests/test_route.py"),
    ("python3", "-m", "venv"),
    ("source", ".venv/bin/activate"),
)


@pytest.mark.parametrize("code", BLOCKS)
def test_example_runs(code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results").symlink_to(ROOT / "results")
    exec(compile(code, "example", "exec"), {})


@pytest.mark.parametrize("name", TEXTS)
def test_links_lead_somewhere(name):
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", TEXTS[name]):
        if not target.startswith("http"):
            assert (ROOT / name).parent.joinpath(target).exists(), target


@pytest.mark.parametrize("name", TEXTS)
def test_every_command_is_one_that_a_test_below_types(name):
    for words in commands_of(TEXTS[name]):
        assert any(words[: len(start)] == start for start in KNOWN), shown(words)


@pytest.mark.parametrize("words", NOVELTY, ids=shown)
def test_command_is_understood_and_has_help(words, capsys):
    options = make_parser().parse_args([NAMES.get(word, word) for word in words[1:]])
    with pytest.raises(SystemExit) as stopped:
        # An experiment has options of its own.
        main([*words[1 : 3 if words[1] == "run" else 2], "--help"])
    assert stopped.value.code == 0
    text = " ".join(capsys.readouterr().out.split())
    for option in (word for word in words if word.startswith("--")):
        assert option in text
    assert callable(options.command)


@pytest.mark.parametrize("words", starting("run"), ids=shown)
def test_experiment_can_be_configured_as_shown(words, monkeypatch):
    from novelty_lab.cli import run

    # What is shown for a GPU is read on machines without one too.
    monkeypatch.setattr("torch.cuda.is_available", lambda: True)
    options = make_parser().parse_args([NAMES.get(word, word) for word in words[1:]])
    artefact, runs = run.plan(options)
    assert runs and run.choose_engine(options, artefact)


@pytest.mark.parametrize("words", starting("train"), ids=shown)
def test_agent_can_be_configured_as_shown(words):
    from novelty_lab.paper.table1_agents.training import Training

    options = make_parser().parse_args(words[1:])
    Training(options.task, options.reward, options.steps)


@pytest.fixture
def own_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    columns = rng.standard_normal((96, 3))
    header = "temperature,pressure,yield"
    np.savetxt("data.csv", columns, delimiter=",", header=header, comments="")
    np.savetxt("series.csv", columns[:, :2], delimiter=",", header="map,noise", comments="")
    (tmp_path / "results").symlink_to(ROOT / "results")
    for _, _, code in commands(("python", "-c")):
        exec(code, {})  # it writes a file that commands below it read
    write_penguins(columns)
    write_large(columns)


def write_penguins(columns):
    """Write a table with an index, a category, dates and gaps."""
    import pandas

    count = len(columns)
    frame = pandas.DataFrame(columns, columns=["bill", "mass", "flipper"])
    frame.insert(0, "id", range(100, 100 + count))
    frame["species"] = [("Adelie", "Chinstrap", "Gentoo")[k % 3] for k in range(count)]
    frame["year"] = [2007 + k % 3 for k in range(count)]
    frame["day"] = pandas.date_range("2007-11-11", periods=count).astype(str)
    frame.loc[[3, 7], ["bill", "mass"]] = None
    frame.to_csv("penguins.csv", index=False)
    frame.to_csv("table.csv", index=False)
    frame.to_excel("book.xlsx", index=False)


def write_large(columns):
    """Write small files of the kinds that are read by chunks."""
    import pandas
    import zarr

    Path("measurements").mkdir()
    columns = np.column_stack([columns, columns[::-1, 0]])
    frame = pandas.DataFrame(columns, columns=["temperature", "pressure", "humidity", "yield"])
    frame[:40].to_parquet("measurements/first.parquet")
    frame[40:].to_parquet("measurements/second.parquet")
    np.save("large.npy", columns)
    zarr.save_array("field.zarr", columns)


READING = [w for w in NOVELTY if w[1] in ("list", "ledger") or w[1:3] == ("explore", "--export")]


@pytest.mark.parametrize("words", READING, ids=shown)
def test_command_that_only_reads_records_runs(words, own_files, capsys):
    assert main(list(words[1:])) == 0


NEEDS_MORE = ("dask://", "FILE")
"""A cluster, or the options that the text around it leaves out."""
HERE = [w for w in starting("score") if not any(more in shown(w) for more in NEEDS_MORE)]


@pytest.mark.parametrize("words", HERE, ids=shown)
def test_score_runs_as_shown(words, own_files, capsys):
    wrong = {"temperature", "missing.csv"} if "series.csv" in words else {"missing.csv"}
    fast = ["--draws", "1"] + ([] if "--null" in words else ["--null", "9"])
    if not {"--targets", "--window", "--leads"} & set(words):
        fast = []  # every column is learned from the others
    assert main([*words[1:], *fast]) == (2 if wrong & set(words) else 0)


def test_the_readme_shows_what_its_last_command_prints(own_files, capsys):
    (said,) = re.findall(r"```text\n(.*?)```", TEXTS["README.md"], re.S)
    assert main(["score", "diabetes.csv", "--targets", "target"]) == 0
    came = capsys.readouterr().out + "...\n"
    assert doctest.OutputChecker().check_output(said + "...\n", came, doctest.ELLIPSIS)


def test_targets_of_the_makefile_exist():
    makefile = (ROOT / "Makefile").read_text()
    for _, target, *_ in commands(("make",)):
        assert re.search(rf"^{target}:", makefile, re.M), target


def test_extras_that_are_installed_exist():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for words in commands(("pip", "install")):
        for extras in re.findall(r"\[([\w,]+)\]", shown(words)):
            assert set(extras.split(",")) <= set(project["optional-dependencies"])
        for pinned in re.findall(r"\S+==\S+", shown(words)):
            assert pinned in (ROOT / "constraints.txt").read_text().split()


@pytest.mark.parametrize("module", sorted({words[2] for words in commands(("python", "-m"))}))
def test_benchmarks_take_the_options_shown(module):
    from benchmarks.__main__ import LONG
    from benchmarks.__main__ import NAMES as BENCHMARKS

    assert module.partition(".")[0] in ("benchmarks", "stress")
    asked = [sys.executable, "-m", module, "--help"]
    text = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for words in commands(("python", "-m", module)):
        assert all(word in text for word in words[3:] if word.startswith("--"))
        only = words[words.index("--only") + 1] if "--only" in words else "small"
        assert only in BENCHMARKS + LONG or module != "benchmarks"


@pytest.mark.parametrize("name", [name for name, text in TEXTS.items() if "<!-- table:" in text])
def test_tables_are_those_of_the_records(name):
    from docs.hooks.tables import filled

    assert TEXTS[name] == filled(TEXTS[name]), "run make tables"


def test_badges_say_what_holds():
    from docs.hooks.badges import FOLDER, badges

    found = {path.stem: path.read_text() for path in FOLDER.glob("*.svg")}
    assert found == badges(), "run make tables"
    readme = TEXTS["README.md"]
    assert all(f"docs/assets/badges/{name}.svg" in readme for name in found)


def test_the_reference_names_what_is_public():
    from docs.hooks import reference

    assert TEXTS["docs/reference.md"] == reference.filled(TEXTS["docs/reference.md"]), (
        "run make tables"
    )


TUTORIALS = [name for name in TEXTS if "tutorials/" in name]
FENCE = re.compile(r"^```(?P<kind>\w+)\n(?P<body>.*?)^```", re.S | re.M)
REFUSED = "# exit code 2"


@pytest.mark.parametrize("name", TUTORIALS)
def test_tutorial_runs_and_prints_what_it_says(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names, printed = {}, ""
    for block in FENCE.finditer(TEXTS[name]):
        kind, body = block["kind"], block["body"]
        if kind == "text":
            assert matches(body, printed), f"{name} says:\n{body}\nand this came:\n{printed}"
            continue
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            if kind == "python":
                exec(compile(body, name, "exec"), names)
            else:
                assert kind == "sh"
                follow(body)
        printed = out.getvalue()


def follow(body):
    for line in body.splitlines():
        command, *words = shlex.split(line, comments=True)
        assert command == "novelty"
        assert main(words) == (2 if REFUSED in line else 0), line


def matches(said, came):
    # A progress bar leaves blank lines where there is no terminal.
    told = "".join(line + "\n" for line in came.splitlines() if line.strip())
    return doctest.OutputChecker().check_output(said, told, doctest.ELLIPSIS)


MODULES = [
    info.name
    for info in pkgutil.walk_packages(learnable_novelty.__path__, "learnable_novelty.")
    if not info.name.endswith("__main__")
]


@pytest.mark.parametrize("name", ["learnable_novelty", *MODULES])
def test_examples_of_docstrings_run(name):
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing not in ("triton", "numba"):
            raise
        pytest.skip(f"needs {missing}, which is not installed")
    failed, tried = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert failed == 0
    assert tried or not name.endswith("measure.score")
