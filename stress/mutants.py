"""Plant bugs, one at a time, and see whether the tests of the changed module catch them.

``python -m stress mutants`` judges the bugs of stress/mutants.json and notes each verdict there, so
that it can be stopped and started again.

A bug is a small change of the source: another operator, a sum for a mean, another constant of a
formula. It is kept by the text of its line, wherever in the tree that line is now; for those whose
line is gone, others are drawn from a seed, an equal number of times per area. Each bug is planted
in a copy of the tree, where the test files run that have the module's name or import it, and then
those of the modules that import it. A test that fails without the bug does not count. A bug that
no test catches may also be one that changes nothing, so survivors are to be read.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from queue import SimpleQueue

ROOT = Path(__file__).parents[1]
RECORD = ROOT / "stress" / "mutants.json"
AREAS = {
    "observer": ("src/learnable_novelty/observer/**/*.py",),
    "measure": ("src/learnable_novelty/measure/*.py", "src/learnable_novelty/data/*.py"),
    "reward": ("src/learnable_novelty/reward/*.py", "src/learnable_novelty/objective/*.py"),
    "independence": ("src/learnable_novelty/independence/*.py",),
    "experiments": ("lab/novelty_lab/paper/**/*.py", "lab/novelty_lab/studies/**/*.py"),
    "command line": ("src/learnable_novelty/cli/*.py", "lab/novelty_lab/cli/*.py"),
}
UNTOUCHED = re.compile(r"fused|kernels|figure|pictures|panel|plot|__init__|__main__|claims\.py")
"""Kernels for a GPU, drawings, and data."""
TESTS = "tests/**/test_*.py lab/tests/**/test_*.py"
ALSO = {
    "src/learnable_novelty/measure/auto.py": "tests/measure/test_answer.py",
    "src/learnable_novelty/measure/draw.py": "tests/measure/test_held_out.py",
    "src/learnable_novelty/observer/solve.py": "tests/observer/test_rounding.py",
}
"""Tests that have another name than the module, and do not import it."""
WHOLE = re.compile("explorer|test_(docs|site|route|cluster|fuzz|hostile|faults)")
"""The page, and tests of everything together, which take minutes."""
MOST_FILES = 8
"""Test files that are run for one bug, those of the module's own name first."""
SECONDS = 900
OPERATORS = {
    ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*", ast.Pow: "*", ast.FloorDiv: "*",
    ast.Lt: ">", ast.LtE: ">", ast.Gt: "<", ast.GtE: "<", ast.Eq: "!=", ast.NotEq: "==",
    ast.And: "or", ast.Or: "and",
}  # fmt: skip
CALLS = {
    "mean": "sum", "sum": "mean", "max": "min", "min": "max", "any": "all", "all": "any",
    "argmax": "argmin", "argmin": "argmax", "sqrt": "square", "log2": "log", "cumsum": "cumprod",
    "median": "mean", "sin": "cos", "cos": "sin", "std": "var", "var": "std", "floor": "ceil",
}  # fmt: skip


@dataclass(frozen=True)
class Bug:
    """One change in one line, and what the tests said of it."""

    area: str
    path: str
    text: str
    """The line, stripped; no other of its file is like it."""
    column: int
    """Of the change in this text."""
    old: str
    new: str
    verdict: str = ""
    """Caught, survived, no tests, or timeout."""

    def planted(self) -> tuple[str, str] | None:
        """Return the file that has the line now, and its text with the bug; None if none has it."""
        files = [self.path, *files_of(self.area)]
        for path in files if (ROOT / self.path).exists() else files[1:]:
            source = (ROOT / path).read_text(encoding="utf-8")
            found = re.search(rf"^[ ]*{re.escape(self.text)}$", source, re.MULTILINE)
            if found:
                first = found.end() - len(self.text) + self.column
                return path, source[:first] + self.new + source[first + len(self.old) :]
        return None


def by_hand(area: str, path: str, text: str, old: str, new: str) -> Bug:
    """Describe a bug by the words that it replaces."""
    return Bug(area, path, text, text.index(old), old, new)


KNOWN = (
    by_hand(
        "experiments",
        "lab/novelty_lab/paper/fig2_automata/experiment.py",
        "excess = {rule: means[rule] - floor[rule] for rule in means}",
        *("-", "+"),
    ),
    by_hand(
        "experiments",
        "lab/novelty_lab/paper/fig2_automata/experiment.py",
        "means = dict(zip(scores, draws.mean(1).tolist(), strict=True))",
        *("mean(1)", "max(1)"),
    ),
    by_hand(
        "observer",
        "src/learnable_novelty/observer/denoise.py",
        "z = (x - MEAN) / DEVIATION * (8 * freedom + 3) / (8 * freedom + 1)",
        *("(8 * freedom + 3) / (8 * freedom + 1)", "(8 * freedom + 1) / (8 * freedom + 3)"),
    ),
)
"""Bugs that the tests once missed; always among those that are judged."""


def bugs_of(area: str, path: str, source: str) -> Iterator[Bug]:
    """Yield every bug that can be planted in a file."""
    starts = [0]
    for line in source.encode().split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    text, lines = source.encode(), source.split("\n")

    def place(line: int, column: int) -> int:
        return starts[line - 1] + column

    for node in _computing(ast.parse(source)):
        changes: list[tuple[int, int, str]] = []
        begin = place(node.lineno, node.col_offset)
        if isinstance(node, ast.BinOp | ast.Compare | ast.BoolOp):
            changes += _other_operators(node, text, place)
            for side in (node.left, node.right) if isinstance(node, ast.BinOp) else ():
                if isinstance(side, ast.Constant) and isinstance(side.value, int | float):
                    ends = place(side.end_lineno or 0, side.end_col_offset or 0)
                    first = place(side.lineno, side.col_offset)
                    value = (
                        str(side.value + 1) if isinstance(side.value, int) else repr(2 * side.value)
                    )
                    changes.append((first, ends, value))
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Not):
            changes.append((begin, place(node.operand.lineno, node.operand.col_offset), ""))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            last = place(node.func.end_lineno or 0, node.func.end_col_offset or 0)
            if node.func.attr in CALLS:
                changes.append((last - len(node.func.attr), last, CALLS[node.func.attr]))
        for first, last, new in changes:
            number = text[:first].count(b"\n")
            line, before = lines[number].strip(), text[starts[number] : first].decode().lstrip()
            if lines.count(lines[number]) == 1:
                yield Bug(area, path, line, len(before), text[first:last].decode(), new)


def _computing(tree: ast.AST) -> Iterator[ast.expr]:
    """Walk the expressions that compute: no annotations, texts, errors or decorators."""
    for name, field in ast.iter_fields(tree):
        if name in ("annotation", "returns", "decorator_list", "type_params", "slice"):
            continue
        for node in field if isinstance(field, list) else [field]:
            if not isinstance(node, ast.AST) or isinstance(node, ast.Raise | ast.JoinedStr):
                continue
            if isinstance(node, ast.expr):
                yield node
            yield from _computing(node)


def _other_operators(
    node: ast.BinOp | ast.Compare | ast.BoolOp, text: bytes, place: object
) -> list[tuple[int, int, str]]:
    if isinstance(node, ast.BinOp):
        sides, operators = [node.left, node.right], [node.op]
    elif isinstance(node, ast.Compare):
        sides, operators = [node.left, *node.comparators], list(node.ops)
    else:
        sides, operators = node.values, [node.op] * (len(node.values) - 1)
    changes = []
    for left, right, operator in zip(sides[:-1], sides[1:], operators, strict=True):
        new = OPERATORS.get(type(operator))
        first = place(left.end_lineno, left.end_col_offset)  # type: ignore[operator]
        last = place(right.lineno, right.col_offset)  # type: ignore[operator]
        between = text[first:last].decode()
        found = re.search(r"\*\*|//|[<>=!]=|[-+*/<>]|\b(?:and|or)\b", between)
        if new and found and "#" not in between:
            changes.append((first + found.start(), first + found.end(), new))
    return changes


def listed(count: int, seed: int, held: Sequence[Bug] = ()) -> list[Bug]:
    """Keep the bugs whose lines are still in the tree, and draw others, equally many per area."""
    chosen = [bug for bug in held if bug.planted()][:count]
    names = {(bug.path, bug.text) for bug in chosen}
    chosen += [bug for bug in KNOWN if (bug.path, bug.text) not in names and bug.planted()]
    generator = random.Random(seed)
    drawn = {area: _drawn(area, generator) for area in AREAS}
    while len(chosen) < count and any(drawn.values()):
        counts = Counter(bug.area for bug in chosen)
        area = min((area for area in AREAS if drawn[area]), key=lambda area: counts[area])
        bug = drawn[area].pop()
        if (bug.path, bug.text) not in {(bug.path, bug.text) for bug in chosen}:
            chosen.append(bug)
    return chosen


def _drawn(area: str, generator: random.Random) -> list[Bug]:
    bugs = [
        bug
        for path in files_of(area)
        for bug in bugs_of(area, path, (ROOT / path).read_text(encoding="utf-8"))
    ]
    return generator.sample(bugs, len(bugs))


def files_of(area: str) -> list[str]:
    """List the files in which bugs of an area are planted."""
    found = sorted({path for pattern in AREAS[area] for path in ROOT.glob(pattern)})
    names = (path.relative_to(ROOT).as_posix() for path in found)
    return [name for name in names if not UNTOUCHED.search(name)]


@cache
def _texts(pattern: str) -> dict[str, str]:
    paths = (path for part in pattern.split() for path in ROOT.glob(part))
    names = {path.relative_to(ROOT).as_posix(): path for path in sorted(paths)}
    return {n: path.read_text("utf-8") for n, path in names.items() if not WHOLE.search(n)}


def tests_of(path: str) -> tuple[str, ...]:
    """List the test files of a module, and then those of the modules that import it."""
    found, module = _own_tests(path), _imports(path)
    if len(found) < MOST_FILES:
        users = _texts("src/**/*.py lab/novelty_lab/**/*.py")
        near = [name for name, text in users.items() if name != path and module.search(text)]
        found += [test for name in near for test in _own_tests(name)[: MOST_FILES // 2]]
    if "/cli/" in path:
        found.append("tests/test_cli.py")
    if path in ALSO:
        found.insert(0, ALSO[path])
    if not found:
        package = re.escape(re.sub(r"^(src|lab)/|/[^/]*$", "", path).replace("/", "."))
        found = [name for name, text in _texts(TESTS).items() if re.search(rf"{package}\b", text)]
    return tuple(dict.fromkeys(found))[:MOST_FILES]


def _own_tests(path: str) -> list[str]:
    tests = _texts(TESTS)
    stem, module = Path(path).stem, _imports(path)
    folder = Path(path).parent.name
    named = [name for name in tests if Path(name).stem in (f"test_{stem}", f"test_{folder}_{stem}")]
    importing = [name for name, text in tests.items() if module.search(text)]
    return list(dict.fromkeys(sorted(named, key=lambda name: folder not in name) + importing))


def _imports(path: str) -> re.Pattern[str]:
    dotted = re.sub(r"^(src|lab)/", "", path).removesuffix(".py").replace("/", ".")
    package, _, stem = dotted.rpartition(".")
    return re.compile(
        rf"(?:from|import) {re.escape(dotted)}\b"
        rf"|from {re.escape(package)} import [^)]*?\b{stem}\b(?! import)"
    )


class Tree:
    """A copy of the files that git knows, in which bugs are planted."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        known = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
        for name in known.stdout.splitlines():
            if (ROOT / name).is_file():
                target = folder / name
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(ROOT / name, target)

    def judge(self, bug: Bug) -> str:
        """Plant a bug, run its tests, and take it out again."""
        path, changed = bug.planted() or (bug.path, "")
        tests = tests_of(path)
        if not tests or not changed:
            return "no tests"
        target, without = self.folder / path, list[str]()
        while True:
            target.write_text(changed, encoding="utf-8")
            try:
                failing = self._run(tests, without)
            finally:
                shutil.copyfile(ROOT / path, target)
            if failing in ("survived", "timeout"):
                return failing
            if self._run([failing], ()) == "survived":
                return "caught"
            without.append(failing)

    def _run(self, tests: Sequence[str], without: Sequence[str]) -> str:
        """Return the first test that fails, survived if none does, or timeout."""
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-x", "-rfE"]
        command += [*tests, *(word for name in without for word in ("--deselect", name))]
        paths = os.pathsep.join(str(self.folder / name) for name in ("src", "lab", "."))
        environment = os.environ | {"PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"}
        try:
            done = subprocess.run(
                command,
                cwd=self.folder,
                env=environment,
                capture_output=True,
                text=True,
                timeout=SECONDS,
            )
        except subprocess.TimeoutExpired:
            return "timeout"
        failing = re.findall(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", done.stdout, re.MULTILINE)
        # 5: no tests were left.
        return "survived" if done.returncode in (0, 5) else (failing or [tests[0]])[0]


def judged(bugs: Sequence[Bug], workers: int) -> Iterator[Bug]:
    """Judge bugs side by side, each worker in a tree of its own."""
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(workers) as executor:
        trees: SimpleQueue[Tree] = SimpleQueue()
        for number in range(workers):
            trees.put(Tree(Path(folder) / str(number)))

        def judge(bug: Bug) -> Bug:
            tree = trees.get()
            try:
                return replace(bug, verdict=tree.judge(bug))
            finally:
                trees.put(tree)

        for future in as_completed([executor.submit(judge, bug) for bug in bugs]):
            yield future.result()


def main(arguments: Sequence[str] | None = None) -> int:
    """Plant bugs, and print what became of each; 0 if all were caught."""
    parser = argparse.ArgumentParser(prog="python -m stress mutants", description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=AREAS, help="bugs of one area")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--again", choices=("missed", "all"), help="judge once more")
    options = parser.parse_args(arguments)
    held = json.loads(RECORD.read_text("utf-8"))["bugs"] if RECORD.exists() else []
    bugs = listed(options.count, options.seed, [Bug(**bug) for bug in held])
    again = {"missed": ("", "caught"), "all": ()}.get(options.again or "")
    if again is not None:
        bugs = [bug if bug.verdict in again else replace(bug, verdict="") for bug in bugs]
    save(bugs)
    waiting = [b for b in bugs if not b.verdict and options.only in (None, b.area)]
    for bug in judged(waiting, options.workers):
        print(f"{bug.verdict:9} {bug.path}: {bug.text}  {bug.old!r} -> {bug.new!r}", flush=True)
        place = bugs.index(replace(bug, verdict=""))
        bugs[place] = bug
        save(bugs)
    counts = Counter(bug.verdict or "waiting" for bug in bugs)
    print(", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    return int(counts["caught"] < len(bugs))


def save(bugs: Sequence[Bug]) -> None:
    """Write the bugs with their verdicts, a line each."""
    counts = Counter(bug.verdict for bug in bugs if bug.verdict)
    head = {"tried": counts.total(), "caught": counts["caught"]}
    lines = ",\n".join(json.dumps(asdict(bug)) for bug in bugs)
    draft = RECORD.with_suffix(".tmp")
    draft.write_text(f'{json.dumps(head)[:-1]}, "bugs": [\n{lines}\n]}}\n', encoding="utf-8")
    draft.replace(RECORD)
