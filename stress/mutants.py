"""Plant bugs, one at a time, and see whether the tests of the changed module catch them.

``python -m stress mutants --count 100 --workers 2 --save`` writes stress/mutants.json.

A bug is a small change of the source: another operator, another constant, a sum for a mean. Where
it is planted is drawn from a seed, an equal number of times per area. Each bug is planted in a copy
of the tree, where the test files run that have the module's name or import it; if none does, those
of the modules that import it. Tests that fail without a bug are left out. A bug that no test
catches may also be one that changes nothing, so survivors are to be read.
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
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from queue import SimpleQueue

ROOT = Path(__file__).parents[1]
AREAS = {
    "observer": ("src/learnable_novelty/observer/**/*.py",),
    "measure": ("src/learnable_novelty/measure/*.py", "src/learnable_novelty/data/*.py"),
    "reward": ("src/learnable_novelty/reward/*.py", "src/learnable_novelty/objective/*.py"),
    "independence": ("src/learnable_novelty/independence/*.py",),
    "experiments": ("lab/novelty_lab/paper/**/*.py", "lab/novelty_lab/studies/**/*.py"),
    "command line": ("src/learnable_novelty/cli/*.py", "lab/novelty_lab/cli/*.py"),
}
UNTOUCHED = re.compile(r"fused|figure|pictures|panel|__init__|__main__|claims\.py")
"""Kernels for a GPU, drawings, and data."""
TESTS = "tests/**/test_*.py lab/tests/**/test_*.py"
MOST_FILES = 10
"""Test files that are run for one bug, those of the module's own name first."""
SECONDS = 600
OPERATORS = {
    ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*", ast.Pow: "*", ast.FloorDiv: "*",
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==",
    ast.And: "or", ast.Or: "and",
}  # fmt: skip
CALLS = {
    "mean": "sum", "sum": "mean", "max": "min", "min": "max", "any": "all", "all": "any",
    "argmax": "argmin", "argmin": "argmax", "sqrt": "square", "log2": "log", "cumsum": "cumprod",
    "median": "mean", "sin": "cos", "cos": "sin", "std": "var", "var": "std", "floor": "ceil",
}  # fmt: skip


@dataclass(frozen=True)
class Bug:
    """One change of one file, by the characters that it replaces."""

    area: str
    path: str
    line: int
    start: int
    end: int
    old: str
    new: str

    @property
    def weak(self) -> bool:
        """Whether only a constant is another."""
        return re.fullmatch(r"[\d.e+-]+|True|False", self.old) is not None


@dataclass(frozen=True)
class Outcome:
    """What the tests said of a bug: caught, survived, or no tests."""

    bug: Bug
    verdict: str
    tests: tuple[str, ...]


def bugs_of(area: str, path: str, source: str) -> Iterator[Bug]:
    """Yield every bug that can be planted in a file."""
    starts = [0]
    for line in source.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    text = source.encode()

    def place(line: int, column: int) -> int:
        return starts[line - 1] + column

    for node in _computing(ast.parse(source)):
        changes: list[tuple[int, int, str]] = []
        begin = place(node.lineno, node.col_offset)
        end = place(node.end_lineno or node.lineno, node.end_col_offset or 0)
        if isinstance(node, ast.BinOp | ast.Compare | ast.BoolOp):
            changes += _other_operators(node, text, place)
        elif isinstance(node, ast.Constant) and type(node.value) in (int, float, bool):
            changes.append((begin, end, _other_constant(node.value)))
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Not):
            changes.append((begin, place(node.operand.lineno, node.operand.col_offset), ""))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            last = place(node.func.end_lineno or 0, node.func.end_col_offset or 0)
            if node.func.attr in CALLS:
                changes.append((last - len(node.func.attr), last, CALLS[node.func.attr]))
        for first, last, new in changes:
            old = text[first:last].decode()
            yield Bug(area, path, text[:first].count(b"\n") + 1, first, last, old, new)


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


def _other_constant(value: float) -> str:
    if isinstance(value, bool):
        return str(not value)
    return str(value + 1) if isinstance(value, int) else repr(value * 2 if value else 1.0)


def drawn(count: int, seed: int, only: str | None = None) -> list[Bug]:
    """Draw bugs, equally many per area, no two in one line."""
    generator, areas = random.Random(seed), [only] if only else list(AREAS)
    chosen: list[Bug] = []
    for number, area in enumerate(areas):
        candidates = [
            bug
            for path in files_of(area)
            for bug in bugs_of(area, path, (ROOT / path).read_text(encoding="utf-8"))
        ]
        by_line = {
            (bug.path, bug.line): bug for bug in generator.sample(candidates, len(candidates))
        }
        share = count // len(areas) + (number < count % len(areas))
        chosen += generator.sample(sorted(by_line.values(), key=str), min(share, len(by_line)))
    return chosen


def files_of(area: str) -> list[str]:
    """List the files in which bugs of an area are planted."""
    found = sorted({path for pattern in AREAS[area] for path in ROOT.glob(pattern)})
    names = (path.relative_to(ROOT).as_posix() for path in found)
    return [name for name in names if not UNTOUCHED.search(name)]


@cache
def _texts(pattern: str) -> dict[str, str]:
    paths = (path for part in pattern.split() for path in ROOT.glob(part))
    names = {path.relative_to(ROOT).as_posix(): path for path in sorted(paths)}
    # What the page computes is the page's own.
    return {name: path.read_text("utf-8") for name, path in names.items() if "explorer" not in name}


def tests_of(path: str) -> tuple[str, ...]:
    """List the test files of a module; if it has none, those of the modules that import it."""
    found, module = _own_tests(path), _imports(path)
    if not found:
        users = _texts("src/**/*.py lab/novelty_lab/**/*.py")
        near = [name for name, text in users.items() if name != path and module.search(text)]
        found = [test for name in near for test in _own_tests(name)]
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
        listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
        for name in listed.stdout.splitlines():
            if (ROOT / name).is_file():
                target = folder / name
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(ROOT / name, target)
        self._failing: dict[tuple[str, ...], list[str]] = {}

    def judge(self, bug: Bug) -> Outcome:
        """Plant a bug, run its tests, and take it out again."""
        tests = tests_of(bug.path)
        if not tests:
            return Outcome(bug, "no tests", tests)
        if tests not in self._failing:
            self._failing[tests] = self._run(tests, [], "-rfE")[1]
        path, text = self.folder / bug.path, (self.folder / bug.path).read_bytes()
        path.write_bytes(text[: bug.start] + bug.new.encode() + text[bug.end :])
        try:
            passed, _ = self._run(tests, self._failing[tests], "-x")
        finally:
            path.write_bytes(text)
        return Outcome(bug, "survived" if passed else "caught", tests)

    def _run(
        self, tests: Sequence[str], without: Sequence[str], *options: str
    ) -> tuple[bool, list[str]]:
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options, *tests]
        command += [word for name in without for word in ("--deselect", name)]
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
            return False, []
        failing = re.findall(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE)
        # 5: every test was left out.
        return done.returncode in (0, 5), failing


def judged(bugs: Sequence[Bug], workers: int) -> Iterator[Outcome]:
    """Judge bugs side by side, each worker in a tree of its own."""
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(workers) as executor:
        trees: SimpleQueue[Tree] = SimpleQueue()
        for number in range(workers):
            trees.put(Tree(Path(folder) / str(number)))

        def judge(bug: Bug) -> Outcome:
            tree = trees.get()
            try:
                return tree.judge(bug)
            finally:
                trees.put(tree)

        yield from executor.map(judge, bugs)


def main(arguments: Sequence[str] | None = None) -> int:
    """Plant bugs, and print what became of each; 0 if all were caught."""
    parser = argparse.ArgumentParser(prog="python -m stress mutants", description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=AREAS, help="bugs of one area")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--save", action="store_true", help="write stress/mutants.json")
    options = parser.parse_args(arguments)
    outcomes = []
    for outcome in judged(drawn(options.count, options.seed, options.only), options.workers):
        bug = outcome.bug
        change = f"{bug.old!r} -> {bug.new!r}"
        print(f"{outcome.verdict:9} {bug.path}:{bug.line}  {change}", flush=True)
        outcomes.append(outcome)
    counts = Counter(outcome.verdict for outcome in outcomes)
    print(", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    if options.save:
        held = {"seed": options.seed, "counts": counts, "bugs": list(map(asdict, outcomes))}
        text = json.dumps(held, indent=1)
        (ROOT / "stress" / "mutants.json").write_text(text + "\n", encoding="utf-8")
    return int(counts["caught"] < len(outcomes))
