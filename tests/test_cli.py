import importlib
import json
import subprocess
import sys

import numpy as np
import pytest

from learnable_novelty.cli.main import main
from learnable_novelty.errors import (
    EngineError,
    MissingExtraError,
    NumericalError,
    StorageError,
    UserError,
    UserTypeError,
)


@pytest.fixture
def data(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((120, 2))
    path = tmp_path / "data.csv"
    table = np.column_stack([x, np.sin(x[:, 0]) + 0.1 * rng.standard_normal(120)])
    np.savetxt(path, table, delimiter=",", header="a,b,y", comments="")
    return path


def run(capsys, *arguments):
    code = main([str(a) for a in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_score_says_what_was_found(capsys, data):
    code, out, _ = run(capsys, "score", data, "--targets", "y", "--draws", 2, "--null", 19)
    assert code == 0
    assert "a, b -> y" in out
    assert "clear relation: the inputs explain 9" in out
    assert "% of y on held-out rows" in out


def test_score_prints_json_and_nothing_else(capsys, data):
    code, out, _ = run(capsys, "score", data, "--window", 2, "--draws", 1, "--null", 5, "--json")
    assert code == 0
    found = json.loads(out)
    assert found["inputs"] == ["a", "b", "y"]
    assert found["null_count"] == 5


def test_a_ridge_can_be_fixed(capsys, data):
    common = ["score", data, "--targets", "y", "--draws", 1, "--null", 0, "--json"]
    bits = [
        json.loads(run(capsys, *common, *extra)[1])["bits"]
        for extra in ([], ["--ridge", "evidence"], ["--ridge", "0.1"], ["--ridge", "10"])
    ]
    assert bits[0] == bits[1]
    assert bits[2] > bits[3] != bits[0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["score", "none.csv", "--window", "2"], "expected a file"),
        (["score", "DATA", "--targets", "speed"], "got 'speed'"),
        (["score", "DATA", "--window", "500"], "got 120"),
        (["score", "DATA", "--window", "2", "--null", "dance"], "null must be"),
        (["score", "DATA", "--targets", "y", "--ridge", "-1"], "ridge_penalty must be positive"),
        (["score", "DATA", "--targets", "y", "--ridge", "x"], "--ridge takes a number"),
        (["score", "DATA", "--targets", "y", "--draws", "0"], "draws must be"),
        (["score", "DATA", "--targets", "y", "--seed", "-1"], "--seed takes"),
        (["score", "DATA", "--targets", "y", "--plot", "x.gif"], "--plot takes"),
        (["score", "DATA", "--targets", "y", "--plot", "none/x.png"], "existing folder"),
        (["score", "DATA", "--leads", "1,b"], "--leads takes"),
        (["compare", "DATA"], "expected --targets"),
        (["run", "nothing"], "expected an experiment"),
        (["run", "eca", "--set", "draws"], "NAME=VALUE"),
        (["run", "eca", "--set", "colour=1"], "no setting"),
        (["run", "eca", "--set", "samples=abc"], "samples must be a whole number"),
        (["score", "DATA", "--inputs", "y", "--targets", "y"], "got both for y"),
        (["run", "eca", "--engine", "moon"], "engine must be"),
        (["run", "eca", "--device", "moon"], "--device takes cpu"),
        (["run", "nca", "--device", "cuda:99"], "needs a GPU"),
        (["run", "eca", "--part", "nca"], "eca has no option --part"),
        (["run", "eca", "--update", "direct"], "eca has no option --update"),
        (["run", "eca-scan", "--set", "axes=('foo',)"], "axes must be among resolution"),
        (["run", "eca", "--depth", "deep"], "depth must be a whole number, like 3; got"),
        (["run", "nca", "--seeds", "one"], "--seeds takes whole numbers"),
        (["run", "nca", "--resume"], "nothing to resume"),
        (["run", "nca", "--resume", "--force"], "expected one of them"),
        (["run", "nca", "--set", "snapshots=0"], "snapshots must be at least 1"),
        (["run", "eca", "--data", "."], "eca reads no data"),
        (["run", "mdl-nca", "--config", "quick"], "expected a record of nca"),
        (["run", "encoder", "--data", "nowhere"], "nowhere"),
        (["render", "--out", "nowhere"], "found none"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(
    capsys, data, tmp_path, monkeypatch, arguments, message
):
    monkeypatch.chdir(tmp_path)
    before = sorted(p.name for p in tmp_path.iterdir())
    code, out, err = run(capsys, *[str(data) if a == "DATA" else a for a in arguments])
    assert code == 2
    assert out == ""
    assert message in err
    assert err.strip().count("\n") == 0
    assert "Traceback" not in err
    assert sorted(p.name for p in tmp_path.iterdir()) == before


@pytest.mark.parametrize("arguments", [[], ["dance"], ["score"], ["score", "x", "--window", "w"]])
def test_wrong_usage_exits_with_2_and_one_line(capsys, arguments):
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    assert capsys.readouterr().err.strip().count("\n") == 0


def test_run_prints_the_record_with_scores_and_writes_the_figure(capsys, tmp_path):
    arguments = ["run", "eca", "--config", "quick", "--out", tmp_path, "--engine", "serial"]
    settings = ["--set", "samples=16", "--set", "burn_in=20", "--set", "channels=16"]
    settings += ["--set", "draws=1"]
    code, out, err = run(capsys, *arguments, *settings, "--json")
    assert code == 0
    record = json.loads(out)
    assert len(record["scores"]) == 88
    assert record["configuration"]["channels"] == 16
    assert len(list(tmp_path.glob("eca/custom-*/figure.png"))) == 1
    code, out, err = run(capsys, *arguments, *settings)
    assert code == 0
    assert "already there" in err
    assert "rank" in out
    code, out, _ = run(capsys, "list", "--out", tmp_path)
    assert "custom-" in out
    code, out, _ = run(capsys, "render", "--out", tmp_path, "--vector")
    assert "figure.png" in out and "figure.pdf" in out
    (drawn,) = tmp_path.glob("eca/custom-*/figure.pdf")
    assert drawn.read_bytes().startswith(b"%PDF")


def test_an_interrupted_run_resumes_where_it_stopped(capsys, tmp_path, monkeypatch):
    from novelty_lab.paper.fig2_automata import experiment as eca

    calls = []
    real = eca.score_rule

    def interrupted(config, rule, seed):
        calls.append(rule)
        if len(calls) == 5:
            raise KeyboardInterrupt
        return real(config, rule, seed)

    monkeypatch.setattr(eca, "score_rule", interrupted)
    arguments = ["run", "eca", "--config", "quick", "--out", tmp_path, "--engine", "serial"]
    settings = ["--set", "samples=8", "--set", "burn_in=5", "--set", "channels=8"]
    settings += ["--set", "draws=1"]
    code, _, err = run(capsys, *arguments, *settings)
    assert code == 130
    assert "interrupted" in err
    assert not list(tmp_path.glob("eca/custom-*"))
    code, _, _ = run(capsys, *arguments, *settings)
    assert code == 0
    assert len(calls) == 5 + 84


NEURAL = ["--set", "steps=6", "--set", "batch=8", "--set", "hidden=16", "--set", "channels=16"]
NEURAL += ["--set", "judged_samples=8", "--set", "meter_rollouts=1", "--set", "wide=(64,)"]
NEURAL += ["--set", "meter_width=64", "--set", "meter_steps=128", "--set", "draws=1"]


def test_an_experiment_that_trains_nothing_refuses_a_gpu(capsys, tmp_path, monkeypatch):
    import torch

    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    code, _, err = run(capsys, "run", "eca", "--device", "cuda", "--out", tmp_path)
    assert code == 2
    assert "runs on the cpu" in err


class Entry:
    """An entry point of another package."""

    def __init__(self, name, load):
        self.name, self.value, self.load = name, f"{name}:add_commands", load


def with_plugins(monkeypatch, **plugins):
    entries = [Entry(name, load) for name, load in plugins.items()]
    module = importlib.import_module("learnable_novelty.cli.main")
    monkeypatch.setattr(module, "entry_points", lambda group: entries)


def with_failing_command(monkeypatch, error):
    def fail(options):
        raise error

    def add_commands(commands):
        commands.add_parser("fail").set_defaults(command=fail)

    with_plugins(monkeypatch, failing=lambda: add_commands)


def score_of(capsys, data):
    return run(capsys, "score", data, "--targets", "y", "--draws", 1, "--null", 0)


def test_help_lists_what_is_installed(capsys, monkeypatch):
    with pytest.raises(SystemExit):
        main(["--help"])
    assert "run an experiment of the paper" in capsys.readouterr().out
    with_plugins(monkeypatch)
    with pytest.raises(SystemExit):
        main(["--help"])
    out = capsys.readouterr().out
    assert "score " in out and "run " not in out


@pytest.mark.parametrize("command", ["run", "train", "render", "ledger", "explore", "list"])
def test_a_command_of_the_lab_says_what_it_needs(capsys, monkeypatch, command):
    with_plugins(monkeypatch)
    with pytest.raises(SystemExit) as stop:
        main([command, "eca", "--seed", "1"])
    out, err = capsys.readouterr()
    assert stop.value.code == 2 and out == "" and err.strip().count("\n") == 0
    assert f"novelty {command} needs the package novelty-lab, which is not installed" in err


def test_a_broken_plugin_leaves_the_other_commands_alone(capsys, monkeypatch, data):
    def missing():
        raise ImportError("no \x1b[31mmodule")

    def doubled():
        return lambda commands: commands.add_parser("score")

    with_plugins(monkeypatch, missing=missing, nothing=lambda: None, doubled=doubled)
    code, out, err = score_of(capsys, data)
    assert code == 0 and "a, b -> y" in out
    for name in ("missing", "nothing"):
        assert f"commands of {name}:add_commands are left out" in err
    assert "\\x1b" in err and "\x1b" not in err


HEAVY = {"matplotlib", "pandas", "sklearn", "scipy", "gymnasium", "rich", "pyarrow"}


@pytest.mark.parametrize(
    ("code", "later"),
    [
        ("import learnable_novelty", HEAVY),
        ("main(['--version'])", HEAVY | {"torch", "numpy"}),
        ("main(['--help'])", HEAVY | {"torch", "numpy"}),
    ],
)
def test_what_is_heavy_is_imported_when_it_is_needed(code, later):
    script = (
        "import sys\n"
        "from learnable_novelty.cli.main import main\n"
        f"try: {code}\n"
        "except SystemExit: pass\n"
        f"print(sorted({later!r} & set(sys.modules)))"
    )
    command = [sys.executable, "-c", script]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    assert found.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("error", [TypeError, ValueError, OSError, KeyError, ModuleNotFoundError])
def test_a_defect_of_the_program_shows_its_traceback(monkeypatch, error):
    with_failing_command(monkeypatch, error("a defect"))
    with pytest.raises(error, match="a defect"):
        main(["fail"])


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (UserError, 2),
        (UserTypeError, 2),
        (MissingExtraError, 2),
        (StorageError, 2),
        (EngineError, 1),
        (NumericalError, 1),
    ],
)
def test_what_a_user_can_act_on_is_one_sentence(capsys, monkeypatch, error, code):
    with_failing_command(monkeypatch, error("first line,\n   second \x1b]0;title\x07"))
    found, out, err = run(capsys, "fail")
    assert found == code and out == ""
    assert err == "novelty: first line, second \\x1b]0;title\\x07\n"


def test_a_reader_that_goes_away_gives_no_traceback(data):
    command = f"{sys.executable} -m learnable_novelty.cli ledger --out nowhere --json | true"
    found = subprocess.run(["sh", "-c", command], capture_output=True, text=True)
    assert "Traceback" not in found.stderr and "BrokenPipe" not in found.stderr


@pytest.mark.parametrize("name", ["sklearn", "torchmetrics", "lightning"])
def test_an_extra_that_is_not_installed_is_named(name):
    code = (
        "import sys, learnable_novelty as ln\n"
        "sys.modules.update(dict.fromkeys(('sklearn', 'torchmetrics', 'lightning')))\n"
        "for look in (lambda: getattr(ln, sys.argv[1]),\n"
        "             lambda: __import__(f'learnable_novelty.{sys.argv[1]}')):\n"
        "    try: look()\n"
        "    except ModuleNotFoundError as error: print(error)"
    )
    command = [sys.executable, "-c", code, name]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    assert found.stdout.splitlines() == 2 * [
        f"learnable_novelty.{name} needs the [integrations] extra ({name} is not installed): "
        "pip install 'learnable-novelty[integrations]'"
    ]
