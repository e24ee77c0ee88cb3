"""The lab uses the library as its users do; import-linter holds the other rules (make check)."""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = {"learnable_novelty.observer.reservoirs", "learnable_novelty.reward.rivals"}


def inner_imports(source):
    """Return the modules below the library's packages that a file imports."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module:
            names.append(node.module)
        found |= {name for name in names if name.startswith("learnable_novelty.")}
    return {name for name in found if name.count(".") > 1} - PACKAGES


def test_the_lab_imports_public_names_only():
    files = sorted((ROOT / "lab" / "novelty_lab").rglob("*.py"))
    assert len(files) > 10
    inner = {str(path.relative_to(ROOT)): inner_imports(path.read_text()) for path in files}
    assert {path: names for path, names in inner.items() if names} == {}


def test_an_import_from_inside_a_package_is_seen():
    source = "from learnable_novelty.systems.life import LifeRule\nimport learnable_novelty.a.b.c\n"
    assert inner_imports(source) == {"learnable_novelty.systems.life", "learnable_novelty.a.b.c"}
    assert inner_imports("from learnable_novelty.systems import LifeRule\n") == set()
