"""Show the examples of docstrings as code: bare ``>>>`` would be a quotation in Markdown."""

from __future__ import annotations

import doctest
from typing import Any

import griffe

PARSER = doctest.DocTestParser()


class Doctests(griffe.Extension):
    """Fence every example before a docstring is read."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite the docstring of an object that has examples."""
        if obj.docstring is not None and ">>> " in obj.docstring.value:
            obj.docstring.value = fenced(obj.docstring.value)


def fenced(text: str) -> str:
    """Put runs of examples between fences."""
    parts: list[str] = []
    inside = False
    for part in PARSER.parse(text):
        if isinstance(part, doctest.Example):
            parts.append(("" if inside else "```pycon\n") + _shown(part))
            inside = True
        elif part.strip():
            parts.append(("```\n" if inside else "") + part)
            inside = False
    return "".join(parts).rstrip("\n") + ("\n```" if inside else "")


def _shown(example: doctest.Example) -> str:
    first, *more = example.source.splitlines()
    lines = [f">>> {first}", *(f"... {line}" for line in more), *example.want.splitlines()]
    return "\n".join(lines) + "\n"
