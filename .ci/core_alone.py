"""Try every public command and module where only the core of the library is installed.

Each works, or says in one sentence which extra it needs. Run by .ci/fresh, in an empty folder.
"""

import csv
import importlib
import importlib.metadata
import json
import math
import os
import pkgutil
import re
import subprocess
import sys
import sysconfig
import tempfile
import traceback
from pathlib import Path

CORE = {"torch", "numpy", "scipy", "pandas", "rich", "learnable-novelty"}
NEED_EXTRAS = {"sklearn", "torchmetrics", "lightning", "reward"}
"""Modules that may ask for an extra; all others must be importable."""
NOVELTY = str(Path(sysconfig.get_path("scripts"), "novelty"))
failures: list[str] = []


def check(name: str, holds: bool, told: str = "") -> None:
    """Print one line, and remember what does not hold."""
    print(f"{'ok  ' if holds else 'FAIL'} {name}{': ' + told.strip() if told else ''}", flush=True)
    if not holds:
        failures.append(name)


def novelty(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a copy of this process: the import of torch is paid once."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            os.dup2(out.fileno(), 1)
            os.dup2(err.fileno(), 2)
            code = 70
            try:
                code = importlib.import_module("learnable_novelty.cli.main").main(list(arguments))
            except SystemExit as stop:
                code = stop.code
            except BaseException:  # noqa: BLE001 - whatever it is, it is reported
                traceback.print_exc()
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code or 0)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess(arguments, code, out.read(), err.read())


def names_extra(text: str) -> bool:
    """Tell whether a text is one sentence that names an extra."""
    one_line = len(text.strip().splitlines()) == 1
    return one_line and re.search(r"needs? the \[\w+\] extra", text) is not None


def try_commands() -> None:
    """Score a file, and call every command."""
    rows = [(math.sin(i), math.sin(i) ** 2) for i in range(300)]
    with open("own.csv", "w", newline="") as file:
        csv.writer(file).writerows([("x", "y"), *rows])
    data = ("own.csv", "--inputs", "x", "--targets", "y")
    ran = subprocess.run([NOVELTY, "score", *data], capture_output=True, text=True)
    check("novelty score", ran.returncode == 0 and "relation" in ran.stdout, ran.stderr)
    ran = novelty("score", "own.csv")
    check("novelty score own.csv", ran.returncode == 0 and "300 rows" in ran.stdout, ran.stderr)
    few = ("--draws", "2", "--null", "19")
    commands = {
        "score": (*data, *few),
        "scan": ("own.csv",),
        "depend": ("own.csv", "--x", "x", "--y", "y", "--permutations", "19"),
    }
    for command, arguments in commands.items():
        ran = novelty(command, *arguments, "--json")
        works = ran.returncode == 0 and bool(json.loads(ran.stdout))
        check(f"novelty {command} --json", works, ran.stderr)
    for arguments in (["--help"], ["--version"], *([command, "--help"] for command in commands)):
        ran = novelty(*arguments)
        check(f"novelty {' '.join(arguments)}", ran.returncode == 0 and not ran.stderr, ran.stderr)
    listed = set(re.findall(r"^    (\w+) ", novelty("--help").stdout, re.MULTILINE))
    check("novelty --help lists what is installed", listed == {*commands, "report"}, str(listed))
    ran = novelty("report", "own.csv", "-o", "own.html")
    written = ran.returncode == 0 and Path("own.html").stat().st_size > 0
    check("novelty report", written, ran.stderr)
    for command in ("run", "train", "render", "ledger", "explore", "compare", "list"):
        ran = novelty(command, "eca")
        told = ran.returncode == 2 and "novelty-lab" in ran.stderr
        check(f"novelty {command}", told and ran.stderr.count("\n") == 1, ran.stderr)
    Path("own.parquet").write_bytes(b"PAR1")
    Path("own.feather").write_bytes(b"ARROW1")
    Path("own.xlsx").write_bytes(b"PK")
    Path("own.zarr").mkdir()
    Path("own.zarr/zarr.json").write_text("{}")
    for arguments in (
        ("own.parquet", "--window", "1"),
        ("own.feather", "--window", "1"),
        ("own.xlsx", "--window", "1"),
        ("own.zarr", "--window", "1"),
        (*data, "--plot", "own.png"),
        (*data, "--engine", "dask:1"),
    ):
        must_name_extra("score", *arguments)
    for command in ("scan", "depend"):
        must_name_extra(command, *commands[command], "--plot", "own.png")


def must_name_extra(*arguments: str) -> None:
    """Check that a command asks for an extra, in one sentence and with exit code 2."""
    ran = novelty(*arguments)
    told = ran.returncode == 2 and names_extra(ran.stderr)
    check(f"novelty {' '.join(arguments)}", told, ran.stderr)


def import_alone(module: str) -> str:
    """Import a module in a process of its own; return the error's last line, or nothing."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            importlib.import_module(module)
        except BaseException as error:  # noqa: BLE001 - whatever it is, it is reported
            os.write(writer, (str(error).strip() or repr(error)).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as file:
        told = file.read()
    os.waitpid(child, 0)
    return told


def try_modules() -> None:
    """Import every public module of the library."""
    import learnable_novelty

    for info in pkgutil.iter_modules(learnable_novelty.__path__):
        if info.name.startswith("_") or info.name == "integrations":
            continue
        told = import_alone(f"learnable_novelty.{info.name}")
        needs = info.name in NEED_EXTRAS and names_extra(told)
        check(f"import learnable_novelty.{info.name}", not told or needs, told)
    for name in learnable_novelty.__all__:
        check(f"learnable_novelty.{name}", getattr(learnable_novelty, name, None) is not None)


def main() -> int:
    """Run all; return 1 if anything fails."""
    installed = {d.metadata["Name"] for d in importlib.metadata.distributions()}
    needed = importlib.metadata.requires("learnable-novelty") or []
    named = {text.split(">")[0] for text in needed if "extra ==" not in text}
    check("core dependencies", named | {"learnable-novelty"} == CORE, ", ".join(sorted(named)))
    extras = {"matplotlib", "openpyxl", "scikit-learn", "gymnasium", "pyarrow", "zarr"}
    check("no extra is installed", not extras & installed, ", ".join(sorted(extras & installed)))
    importlib.import_module("torch")  # once: its import is nearly all of the time
    try_commands()
    try_modules()
    print(f"{len(failures)} failures" if failures else "the core alone works")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
