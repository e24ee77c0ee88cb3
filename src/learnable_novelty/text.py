"""Names from files, made safe to print."""

from __future__ import annotations

import html
from collections.abc import Sequence

MOST_NAMED = 8
"""Columns and levels that are listed before the rest is counted."""


def printable(text: str) -> str:
    r"""Escape what a terminal would obey instead of show: control and direction characters.

    >>> printable("speed\x1b[31m")
    'speed\\x1b[31m'
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def in_html(text: str) -> str:
    r"""Escape a name for a page: tags, and what would turn the direction of what follows.

    >>> in_html("a<b" + chr(0x202E) + "c")
    'a&lt;b\\u202ec'
    """
    return html.escape(printable(text))


def listed(names: Sequence[str], most: int = MOST_NAMED) -> str:
    """Join names; beyond so many the rest is counted.

    >>> listed(["a", "b", "c"], most=2)
    'a, b and 1 more'
    """
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
