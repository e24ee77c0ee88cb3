"""Names from files, made safe to print."""

from __future__ import annotations


def printable(text: str) -> str:
    r"""Escape what a terminal would obey instead of show: control and direction characters.

    >>> printable("speed\x1b[31m")
    'speed\\x1b[31m'
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
