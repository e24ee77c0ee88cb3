"""The reference: a line for every public name, and all of its documentation when the site is built.

``python -m docs.hooks.reference`` writes the lines again; a test compares them with the code.
"""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path
from types import ModuleType
from typing import Any

PAGE = Path(__file__).parents[1] / "reference.md"
MARK = re.compile(r"(?P<mark><!-- names: (?P<module>[\w.]+) -->\n).*?(?P<end><!-- end -->)", re.S)
OPTIONS = """
    options:
      heading_level: 3
      show_root_heading: true
      show_root_full_path: false
      show_root_toc_entry: true
      show_if_no_docstring: true
"""


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Put the documentation of every name below the lines of its module."""
    shown: set[str] = set()  # a name may be public in two places

    def documented(match: re.Match[str]) -> str:
        paths = [_path(match["module"], name) for name in names(match["module"])]
        blocks = [f"::: {path}{OPTIONS}" for path in paths if path not in shown]
        shown.update(paths)
        return "\n".join([match[0], "", *blocks])

    return MARK.sub(documented, markdown)


def filled(text: str) -> str:
    """Return the page with the lines of every module made again."""
    return MARK.sub(lambda m: f"{m['mark']}\n{lines(m['module'])}\n\n{m['end']}", text)


def names(module: str) -> list[str]:
    """List the public names of a module that are not modules themselves."""
    found = importlib.import_module(module)
    return [
        name
        for name in found.__all__
        if not name.startswith("_") and not isinstance(getattr(found, name), ModuleType)
    ]


def lines(module: str) -> str:
    """Write a line for every name: the first of its docstring."""
    found = importlib.import_module(module)
    rows = ["| name | |", "| --- | --- |"]
    for name in names(module):
        value = getattr(found, name)
        described = inspect.isclass(value) or inspect.isfunction(value)
        text = (inspect.getdoc(value) or "").partition("\n")[0] if described else ""
        # A table would read a bar as the end of a cell.
        rows.append(f"| `{name}` | {text.replace('``', '`').replace('|', chr(92) + '|')} |")
    return "\n".join(rows)


def _path(module: str, name: str) -> str:
    value = getattr(importlib.import_module(module), name)
    home = getattr(value, "__module__", None)
    return (
        f"{home}.{name}"
        if home and inspect.isclass(value) | inspect.isfunction(value)
        else (f"{module}.{name}")
    )


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
