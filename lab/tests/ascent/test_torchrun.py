"""The neural automaton climbs under torchrun, its batch divided among two processes."""

import json
import os
import subprocess
import sys

import pytest

from learnable_novelty.cli.main import main

SETTINGS = {
    "steps": 4,
    "hidden": 8,
    "batch": 8,
    "channels": 16,
    "burn_in": 8,
    "judged_samples": 8,
    "meter_rollouts": 1,
    "wide": (32,),
    "wide_steps": 96,
    "draws": 1,
    "shown": 1,
}
TINY = ["--config", "quick", "--seeds", "1", "--update", "residual"]
TINY += [text for name, value in SETTINGS.items() for text in ("--set", f"{name}={value}")]


def torchrun(*arguments):
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    return subprocess.run(
        [*command, "-m", "learnable_novelty.cli", *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        timeout=280,
    )


def test_two_ranks_leave_one_record(tmp_path):
    done = torchrun("run", "nca", *TINY, "--out", str(tmp_path), "--json")
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)  # the first rank speaks, the second one is silent
    (run,) = record["results"]["runs"].values()
    assert run["start"] > 0 and run["final"] > 0
    assert [path.name for path in (tmp_path / "nca").iterdir()] == [
        f"{record['config']}-seed{record['seed']}"
    ]


def test_what_ranks_cannot_share_is_refused(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.setenv("RANK", "0")
    assert main(["run", "eca", "--out", str(tmp_path)]) == 2
    assert "run it without torchrun" in capsys.readouterr().err
    assert main(["run", "nca", "--out", str(tmp_path), "--engine", "cores:2"]) == 2
    assert "torchrun needs --engine serial" in capsys.readouterr().err


def test_a_batch_is_shared_equally_or_not_at_all():
    from novelty_lab.torchrun import share_of

    class Three:
        def size(self):
            return 3

    assert (share_of(12, Three()), share_of(12, None)) == (4, 12)
    with pytest.raises(ValueError, match="3 ranks can share equally, got 8"):
        share_of(8, Three())
