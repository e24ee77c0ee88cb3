"""Runs that are stopped from outside: what was computed is kept, and the sentence says so."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from learnable_novelty.cli.main import main
from novelty_lab.paper.fig2_automata import experiment as eca

RECORD = Path(__file__).parents[2] / "results" / "temporal" / "paper-seed0"
ENCODER = ["run", "encoder", "--config", "quick", "--training-seeds", "1", "--engine", "cores:1"]


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "group", [pytest.param(False, marks=pytest.mark.slow), True], ids=["parent", "all processes"]
)
def test_sigterm_on_the_default_kind_of_engine_saves_the_step_that_a_worker_is_at(tmp_path, group):
    # No checkpoint comes by itself but that of step 0.
    never = ["--steps", "1000000", "--checkpoint-every", "1000000", "--out", str(tmp_path)]
    process = subprocess.Popen(
        [sys.executable, "-m", "learnable_novelty.cli", *ENCODER, *never],
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    deadline = time.monotonic() + 200
    while not list(tmp_path.glob("encoder/.*.work/training-0/step-000000.pt")):
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.1)
    time.sleep(2.0)
    if group:
        os.killpg(process.pid, signal.SIGTERM)
    else:
        process.terminate()
    _, err = process.communicate(timeout=100)
    assert process.returncode == 128 + signal.SIGTERM, err.decode()
    assert b"Traceback" not in err
    steps = [int(p.stem[5:]) for p in tmp_path.glob("encoder/.*.work/training-0/step-*.pt")]
    assert max(steps) > 0


KILLED_WORKER = """
import os, signal, sys
from learnable_novelty.cli.main import main
from novelty_lab.paper.fig2_automata import experiment

def score_rule(config, rule, seed):
    if rule == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return score(config, rule, seed)

score = experiment.score_rule
score_rule.__module__, score_rule.__qualname__ = "__main__", "score_rule"
experiment.score_rule = score_rule
if __name__ == "__main__":
    sys.exit(main(["run", "eca", "--config", "quick", *SMALL, "--out", sys.argv[1], "--json"]))
"""
SMALL_ECA = ["--samples", "8", "--burn-in", "5", "--channels", "8", "--draws", "1"]


@pytest.mark.timeout(300)
def test_a_killed_worker_is_a_sentence_and_what_was_finished_is_not_run_again(
    tmp_path, monkeypatch, capsys
):
    script = tmp_path / "script.py"
    script.write_text(f"SMALL = {[*SMALL_ECA, '--engine', 'cores:1']}\n{KILLED_WORKER}")

    stopped = subprocess.run(
        [sys.executable, script, tmp_path], capture_output=True, text=True, check=False
    )
    assert stopped.returncode == 1
    assert "Traceback" not in stopped.stderr and "worker process" in stopped.stderr
    (journal,) = tmp_path.glob("eca/.*.partial")
    finished = [json.loads(line)["task"] for line in journal.read_text().splitlines() if line]
    assert finished == ["0"]
    calls, score = [], eca.score_rule
    monkeypatch.setattr(eca, "score_rule", lambda *given: calls.append(given) or score(*given))
    again = ["--engine", "serial", "--out", str(tmp_path), "--json"]
    assert main(["run", "eca", "--config", "quick", *SMALL_ECA, *again]) == 0
    assert len(json.loads(capsys.readouterr().out)["scores"]) == 88
    assert len(calls) == 87


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("config", "../../../outside/paper"),
        ("config", "/outside/paper"),
        ("experiment", "../outside"),
        ("config", ".hidden"),
        ("seed", -1),
    ],
)
def test_a_crafted_record_cannot_have_figures_written_outside_the_results_folder(
    tmp_path, capsys, field, value
):
    results = tmp_path / "a" / "results"
    target = shutil.copytree(RECORD, results / "temporal" / "paper-seed0")
    record = json.loads((target / "record.json").read_text())
    record[field] = value
    record.pop("checksum", None)
    (target / "record.json").write_text(json.dumps(record))
    (tmp_path / "outside").mkdir()
    before = sorted(tmp_path.rglob("*"))
    assert main(["render", "--out", str(results)]) == 2
    assert "could not read one: its" in capsys.readouterr().err
    assert sorted(tmp_path.rglob("*")) == before
