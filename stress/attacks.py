"""Attack what runs for long, shares a folder, or lacks rights; count what was tried and what held.

``python -m stress attacks --rounds 2 --save`` writes stress/attacks.json. What was killed and
resumed must end as what was left alone, to the last bit but for the times that it took.
"""

from __future__ import annotations

import argparse
import errno
import fcntl
import http.client
import json
import multiprocessing
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.chunks import resident_bytes
from novelty_lab import atomic, records
from novelty_lab.explorer import server
from novelty_lab.runner import run_experiment
from stress import kills, soak

HERE = Path(__file__).parent
FORK = multiprocessing.get_context("fork")
Attack = Callable[[Path, int], Iterator[tuple[str, bool]]]
"""Takes a folder and a number of rounds; yields what was tried, and whether it held."""
COMMAND = [sys.executable, "-m", "learnable_novelty.cli"]
ECA = {"samples": 8, "burn_in": 5, "channels": 8, "draws": 1}
NCA: dict[str, Any] = {
    "steps": 40,
    "hidden": 16,
    "batch": 16,
    "channels": 24,
    "judged_samples": 16,
    "wide": (64,),
    "wide_steps": 16,
    "shown_steps": 16,
    "meter_rollouts": 1,
    "meter_steps": 96,
    "meter_width": 48,
}
TIMES = {"wall_time_s", "seconds", "milliseconds", "online_ms", "checksum", "commit"}
PAIRS = 10**6
SEGMENTS, SEGMENT = 4, 256
"""Of a training: each starts with new episodes and ends with a save."""
KILLS = 0
"""So far, in this process."""
NOBODY = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]


def options(settings: dict[str, Any]) -> list[str]:
    return [f"--{name.replace('_', '-')}={value}" for name, value in settings.items()]


def timeless(value: Any) -> Any:
    """Return what was found without how long it took."""
    if isinstance(value, dict):
        return {key: timeless(each) for key, each in value.items() if key not in TIMES}
    return [timeless(each) for each in value] if isinstance(value, list) else value


def same(one: Path, other: Path) -> bool:
    """Tell whether two results folders hold one record each, with the same content."""
    paths = [list(records.find(root)) for root in (one, other)]
    if [len(found) for found in paths] != [1, 1]:
        return False
    first, second = (records.load(found[0]) for found in paths)
    values = [json.dumps(timeless(json.loads(json.dumps(r.to_json())))) for r in (first, second)]
    arrays = [{k: v.tobytes() for k, v in r.arrays.items()} for r in (first, second)]
    return values[0] == values[1] and arrays[0] == arrays[1]


def killed_until_done(
    target: Callable[..., Any], arguments: tuple[Any, ...], most: int, seconds: float, seed: int
) -> Iterator[int]:
    """Start a process again and again, kill it at random moments; yield after every kill."""
    global KILLS
    chance = random.Random(seed)
    for number in range(most + 1):
        process = FORK.Process(target=target, args=arguments)
        process.start()
        process.join(chance.uniform(0.1, 1.0) * seconds if number < most else None)
        if not process.is_alive():
            if process.exitcode:
                raise RuntimeError(f"{arguments} ended with {process.exitcode}")
            return
        process.kill()
        process.join()
        KILLS += 1
        yield number


def stream(folder: Path, rounds: int) -> Iterator[tuple[str, bool]]:
    """Stream a million pairs, beside the batch score of the same pairs."""
    setting, seen = soak.Setting(streams=1, width=8, window=1), soak.Soak()
    streams, chance = soak.Streams(setting, seen), np.random.default_rng(0)
    for number in range(1000):
        inputs = torch.from_numpy(chance.normal(size=(PAIRS // 1000, 1, 3)))
        noise = torch.from_numpy(chance.normal(size=inputs.shape))
        streams.take(inputs, (2 * inputs).sin() + 0.1 * noise + 1e-3 * number)
        if number % 20 == 19:
            streams.compare()
            seen.samples.append({"resident_mb": resident_bytes() / 1e6})
    grew = soak.growth(seen.samples)
    print(f"{seen.longest_stream:,} pairs, error {seen.worst_drift:.1e}, memory {grew:+.2%}")
    yield "a million pairs: finite, and equal to the batch", seen.worst_drift <= soak.STATED_DRIFT
    yield "a million pairs: memory", grew <= soak.FLAT_MEMORY


def jump() -> None:
    """From now on the clock of this process jumps by up to twenty years at every look."""
    true = time.time
    time.time = lambda: true() + random.uniform(-6e8, 6e8)
    time.time_ns = lambda: int(1e9 * time.time())


def jumping_toy(root: Path, config: kills.Config) -> None:
    jump()
    kills.run_toy(config, root)


def clock(folder: Path, rounds: int) -> Iterator[tuple[str, bool]]:
    """Let the clock jump while a run is killed and resumed; its files are of 1971 or of 2096."""
    for number in range(5 * rounds):
        root = folder / str(number)
        config = kills.Config(edition=number, log=str(folder / "log"))
        for _ in killed_until_done(jumping_toy, (root, config), 4, 0.15, number):
            for place, path in enumerate(sorted(root.rglob("*"))):
                os.utime(path, [(3e7, 3e7), (4e9, 4e9)][(place + number) % 2])
        found = list(records.find(root))
        yield "clock jumps, run killed", len(found) == 1 and kills.whole(records.load(found[0]))
    process = FORK.Process(target=jumping_server)
    process.start()
    process.join(60)
    yield "clock jumps, page is served", process.exitcode == 0
    process.kill()


def jumping_server() -> None:
    """Exit with 0 if a page is served 200 times and a silent connection is ended in time."""
    jump()
    server.HEAD_SECONDS = 2.0
    with server.Server({"index.html": b"page"}) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        silent = socket.create_connection(("127.0.0.1", running.server_port))
        silent.sendall(b"GET / HT")
        silent.settimeout(20)
        for _ in range(200):
            asked = http.client.HTTPConnection("127.0.0.1", running.server_port, timeout=20)
            asked.request("GET", "/")
            assert asked.getresponse().read() == b"page"
            asked.close()
        assert b"GET" not in silent.recv(4096)
        running.shutdown()


def scheduler(folder: Path, rounds: int) -> Iterator[tuple[str, bool]]:
    """Kill the Dask scheduler in mid-run: one sentence, the journal stays, a resume ends it."""
    run = [*COMMAND, "run", "eca", "--config", "quick", *options(ECA | {"samples": 64}), "--out"]
    subprocess.run([*run, folder / "whole", "--engine", "serial"], capture_output=True, check=True)
    for number in range(rounds):
        place, root = folder / f"{number}.json", folder / str(number)
        dask = [sys.executable, "-m", "dask"]
        quiet: Any = {"stderr": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
        local = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
        head = subprocess.Popen([*dask, "scheduler", *local, "--scheduler-file", place], **quiet)
        more = ["--no-nanny", "--no-dashboard", "--nthreads", "1", "--death-timeout", "20"]
        worker = subprocess.Popen([*dask, "worker", *more, "--scheduler-file", place], **quiet)
        try:
            wait_for(lambda place=place: place.exists() and place.read_text().strip() != "")
            address = json.loads(place.read_text())["address"].removeprefix("tcp://")
            running = subprocess.Popen(
                [*run, root, "--engine", f"dask://{address}"], stderr=subprocess.PIPE, text=True
            )
            wait_for(lambda root=root: journal_lines(root) > 3)
            head.send_signal(signal.SIGKILL)
            said = running.communicate(timeout=120)[1]
        finally:
            for process in (head, worker):
                process.kill()
                process.wait()
        if "Traceback" in said:
            print(said[-3000:])
        errors = [line for line in said.splitlines() if line.startswith("novelty:")]
        yield "scheduler dies: exit code 1", running.returncode == 1
        yield "scheduler dies: a sentence", len(errors) == 1 and "Traceback" not in said
        kept = journal_lines(root)
        yield "scheduler dies: the journal stays", 3 < kept < 89
        resume = [*run, root, "--engine", "serial", "--resume"]
        subprocess.run(resume, capture_output=True, check=True)
        yield "scheduler dies: same record when resumed", same(root, folder / "whole")


def wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 120
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError("waited two minutes in vain")
        time.sleep(0.01)


def journal_lines(root: Path) -> int:
    return sum(p.read_text().count('"task"') for p in root.glob("eca/.*.partial"))


def train(folder: Path, bonus: str) -> None:
    """Train in segments, going on behind the last that was saved."""
    import gymnasium
    from stable_baselines3 import PPO
    from stable_baselines3.common.vec_env import DummyVecEnv

    from learnable_novelty.reward.sb3 import NoveltyReward

    envs = DummyVecEnv([lambda: gymnasium.make("CartPole-v1")] * 2)
    done = max((int(path.name) for path in folder.glob("[0-9]")), default=0)
    if done:
        venv: Any = NoveltyReward.load(folder / str(done) / "bonus.pt", envs)
        model = PPO.load(folder / str(done) / "model.zip", env=venv, device="cpu")
    else:
        venv = NoveltyReward(envs, bonus=bonus, episodes=4)
        model = PPO("MlpPolicy", venv, n_steps=64, batch_size=64, device="cpu", seed=0)
    for number in range(done + 1, SEGMENTS + 1):
        model.set_random_seed(number)  # SB3 saves neither its random states nor the episodes
        model._last_obs = None
        model.learn(SEGMENT, reset_num_timesteps=False)
        draft = folder / f"draft-{number}"
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(parents=True)
        model.save(draft / "model.zip")
        venv.save(draft / "bonus.pt")
        draft.rename(folder / str(number))


def training(folder: Path, rounds: int) -> Iterator[tuple[str, bool]]:
    """Kill a training with the bonus and resume it; compare policy, optimizer and bonus."""
    global KILLS
    from stable_baselines3.common.save_util import load_from_zip_file

    for bonus in ("foresight", "bits"):
        whole = folder / bonus
        train(whole, bonus)
        for number in range(rounds):
            root = folder / f"{bonus}-{number}"
            for segment in (1, 2):
                process = FORK.Process(target=train, args=(root, bonus))
                process.start()
                wait_for((root / str(segment)).exists)
                time.sleep(random.uniform(0.0, 0.2))
                process.kill()
                process.join()
                KILLS += 1
            train(root, bonus)
            last = [load_from_zip_file(p / str(SEGMENTS) / "model.zip")[1] for p in (root, whole)]
            saved = [torch.load(p / str(SEGMENTS) / "bonus.pt") for p in (root, whole)]
            yield f"training killed, {bonus}: policy and optimizer", equal(*last)
            yield f"training killed, {bonus}: state of the bonus", equal(*saved)


def equal(one: Any, other: Any) -> bool:
    """Compare trees of tensors and numbers, bit by bit."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(equal(one[k], other[k]) for k in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(equal, one, other))
    return torch.equal(one, other) if isinstance(one, torch.Tensor) else bool(one == other)


def run_it(name: str, root: Path) -> None:
    run_experiment(name, "quick", root=root, overrides=NCA if name == "nca" else {})


def artefacts(folder: Path, rounds: int) -> Iterator[tuple[str, bool]]:
    """Kill two artefacts, one with a journal and one with checkpoints too, and resume them."""
    for name in ("temporal", "nca"):
        whole = folder / name
        begun = time.monotonic()
        list(killed_until_done(run_it, (name, whole), 0, 0.0, 0))
        seconds = time.monotonic() - begun
        for number in range(rounds):
            root = folder / f"{name}-{number}"
            list(killed_until_done(run_it, (name, root), 5, seconds / 2, number))
            yield f"{name} killed", same(root, whole)


def refuse_locks() -> None:
    raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))


def share(root: Path, config: kills.Config | str, kind: str, start: Any) -> None:
    """Run beside another process; the lock is never there, or everyone is told that it is."""
    fcntl.flock = lambda *_: refuse_locks() if kind == "none" else None
    start.wait()
    try:
        run_it(config, root) if isinstance(config, str) else kills.run_toy(config, root)
    except (OSError, ValueError) as error:
        print(f"  said: {error}"[:200], flush=True)
        raise SystemExit(3) from None


def two_users(folder: Path, rounds: int) -> Iterator[tuple[str, bool]]:
    """Two processes run the same in one folder, on a file system whose locks lock nobody out."""
    list(killed_until_done(run_it, ("nca", folder / "nca"), 0, 0.0, 0))
    for number in range(10 * rounds + 2):
        root, kind = folder / str(number), ("none", "lying")[number % 2]
        config = "nca" if number < 2 else kills.Config(edition=number, log=str(folder / "log"))
        start = FORK.Barrier(2)
        users = [FORK.Process(target=share, args=(root, config, kind, start)) for _ in range(2)]
        for user in users:
            user.start()
        for user in users:
            user.join()
        # A user may be told in a sentence that the other was in the way, but not both.
        codes = sorted(user.exitcode or 0 for user in users)
        found = list(records.find(root))
        there = len(found) == 1 and (
            same(root, folder / "nca") if config == "nca" else kills.whole(records.load(found[0]))
        )
        yield f"two users, {kind}: record is whole", there
        yield f"two users, {kind}: a sentence at worst", codes in ([0, 0], [0, 3])
        atomic.recover(root / "toy" / "paper-seed0")


READ_ONLY = """
import sys, torch, numpy as np, learnable_novelty as ln, novelty_lab
assert ln.__file__.startswith(sys.argv[1]) and novelty_lab.__file__.startswith(sys.argv[1])
from learnable_novelty.observer import reservoirs
from learnable_novelty.observer.stream import OnlineObserver
online = OnlineObserver(reservoirs.MLP(3, 8, 2), target_dim=2, ridge_penalty=1.0)
online.update(torch.ones(1, 3), torch.ones(1, 2))
import gymnasium
from stable_baselines3.common.vec_env import DummyVecEnv
from learnable_novelty.reward.sb3 import NoveltyReward
venv = NoveltyReward(DummyVecEnv([lambda: gymnasium.make("CartPole-v1")]), episodes=2)
venv.reset()
assert np.isfinite(venv.step(np.array([0]))[1]).all()
"""


def read_only(folder: Path, rounds: int) -> Iterator[tuple[str, bool]]:
    """Install wheels where only root can write, and use them as another user."""
    source, wheel = folder / "source", folder / "wheel"
    for name in ("src", "lab/novelty_lab"):
        junk = shutil.ignore_patterns("__pycache__", "*.egg-info")
        shutil.copytree(HERE.parent / name, source / name, ignore=junk)
    for name in ("pyproject.toml", "README.md", "LICENSE", "lab/pyproject.toml", "lab/setup.py"):
        shutil.copy(HERE.parent / name, source / name)
    pip = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-build-isolation"]
    subprocess.run(
        [*pip, "-q", "--no-compile", "--target", wheel, source, source / "lab"], check=True
    )
    np.savetxt(folder / "t.csv", np.random.default_rng(0).normal(size=(60, 3)), delimiter=",")
    (folder / "mine").mkdir()
    os.chmod(folder / "mine", 0o777)
    subprocess.run(["chmod", "-R", "a+rX,a-w", wheel], check=True)
    for home in (Path("/nonexistent"), folder / "mine"):
        variables = {"PATH": os.environ["PATH"], "HOME": str(home), "OMP_NUM_THREADS": "1"}
        variables |= {"PYTHONPATH": str(wheel), "TMPDIR": str(folder / "mine")}
        score = ["score", folder / "t.csv"]
        run = ["run", "eca", "--config", "quick", *options(ECA), "--engine", "serial"]
        for name, command, code in (
            ("streams and bonus", [sys.executable, "-c", READ_ONLY, str(wheel)], 0),
            ("score", [*COMMAND, *score], 0),
            ("records beside the wheel", [*COMMAND, *run, "--out", wheel / "results"], 2),
            ("records at home", [*COMMAND, *run, "--out", folder / "mine" / home.name], 0),
        ):
            user = NOBODY if os.getuid() == 0 else []
            streams: Any = {"capture_output": True, "text": True, "check": False}
            done = subprocess.run([*user, *command], cwd="/", env=variables, **streams)
            held = done.returncode == code and "Traceback" not in done.stderr
            if not held:
                print(name, home, done.returncode, done.stdout[-300:], done.stderr[-600:])
            yield f"read-only wheel: {name}", held


ATTACKS: dict[str, Attack] = {
    "stream": stream,
    "clock": clock,
    "scheduler": scheduler,
    "training": training,
    "artefacts": artefacts,
    "users": two_users,
    "read-only": read_only,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, print and write; return 1 if anything did not hold."""
    parser = argparse.ArgumentParser(prog="python -m stress attacks", description=__doc__)
    parser.add_argument("--rounds", type=int, default=2, help="of what is done at random moments")
    parser.add_argument("--only", choices=tuple(ATTACKS))
    parser.add_argument("--save", action="store_true", help="also write stress/attacks.json")
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    found: dict[str, dict[str, float]] = {}
    for name in [options.only] if options.only else ATTACKS:
        begun, before, tried, held = time.monotonic(), KILLS, 0, 0
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            for what, holds in ATTACKS[name](Path(folder), options.rounds):
                tried, held = tried + 1, held + holds
                if not holds:
                    print(f"did not hold: {what}", flush=True)
        seconds, killed = round(time.monotonic() - begun), KILLS - before
        found[name] = {"tried": tried, "held": held, "kills": killed, "seconds": seconds}
        print(f"{name}: {found[name]}", flush=True)
    if options.save:
        path = HERE / "attacks.json"
        known = json.loads(path.read_text()) if path.exists() else {}
        path.write_text(json.dumps(known | found, indent=1) + "\n")
    return int(any(one["held"] < one["tried"] for one in found.values()))
