"""Labels for screen readers, where the theme has none."""

from __future__ import annotations

import re
from typing import Any

SEARCH = 'data-md-component="search" role="dialog"'
SECTION = re.compile(r'aria-labelledby="__nav_(\d+)_label"')
TITLE = r'<label class="md-nav__title" for="__nav_{}">\s*<span[^>]*></span>\s*(.*?)\s*</label>'
EMPTY_HEAD = re.compile(r"<th([^>]*)></th>")


def on_post_page(output: str, **_: Any) -> str:
    """Label the search and the sections of the navigation; make empty column heads plain cells."""

    def named(match: re.Match[str]) -> str:
        title = re.search(TITLE.format(match[1]), output, re.DOTALL)
        return f'aria-label="Pages: {title[1]}"' if title else match[0]

    output = SECTION.sub(named, output.replace(SEARCH, f'{SEARCH} aria-label="Search"'))
    return EMPTY_HEAD.sub(r"<td\1></td>", output)
