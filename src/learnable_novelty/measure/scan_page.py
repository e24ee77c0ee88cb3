"""A scan as a page: the table of relations, and the heat map of pairs as a table of colors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnable_novelty.measure.words import p_words, percent, plain, share_words
from learnable_novelty.text import in_html

if TYPE_CHECKING:
    from learnable_novelty.measure.scan_result import Relation, Scan

MOST = 200
"""Rows of the table that are shown."""
STYLE = (
    "<style>.scan{font-family:system-ui,sans-serif;border-collapse:collapse;font-size:14px}"
    ".scan td,.scan th{padding:2px 8px;text-align:left}.scan td.n{text-align:right}"
    ".scan tr.no{opacity:.75}.scan th.v{writing-mode:vertical-rl;transform:rotate(180deg)}</style>"
)


def page(scan: Scan) -> str:
    """Write the page."""
    names = "".join(f"<p>{in_html(note)}</p>" for note in (*scan.notes, *scan.cautions))
    body = _heat_map(scan) if scan.pairs else ""
    title = in_html(scan.title)
    return (
        f"<!doctype html><meta charset='utf-8'><title>{title}</title>{STYLE}"
        f"<h3 style='font-family:system-ui,sans-serif'>{title}</h3>{body}{_table(scan)}{names}"
    )


def _table(scan: Scan) -> str:
    head = "<tr><th>column</th><th>from</th><th>held-out variance</th><th>p, adjusted</th>"
    head += "<th>bits</th><th>accuracy (base rate)</th><th>next step</th></tr>"
    rows = "".join(_row(scan, one) for one in scan.relations[:MOST])
    return f"<table class='scan'>{head}{rows}</table>"


def _row(scan: Scan, one: Relation) -> str:
    named = [f"{name} {percent(share)}" for name, share in one.importance[:3]]
    inputs = ", ".join(one.inputs if len(one.inputs) == 1 else named)
    p = "-" if one.adjusted_p is None else p_words(one.adjusted_p)
    bits = "-" if one.denoised_bits is None else plain(one.denoised_bits)
    right = ""
    if one.classes is not None:
        right = f"{percent(one.classes.accuracy)} ({percent(one.classes.base_rate)})"
    share = share_words(one.held_out_variance, one.held_out_interval)
    cells = [one.target, inputs, share, p, bits, right, scan.next_step(one)]
    inside = "".join(f"<td>{in_html(cell)}</td>" for cell in cells)
    return f"<tr class='{'yes' if one.is_found else 'no'}'>{inside}</tr>"


def _heat_map(scan: Scan) -> str:
    """Write rows that tell about columns; a pair that was not found to be related is empty."""
    values, order = scan.matrix(), scan.clustered()
    discovered = {(one.inputs[0], one.target) for one in scan.discoveries()}
    names = [scan.names[index] for index in order]
    head = "".join(f"<th class='v'>{in_html(name)}</th>" for name in names)
    lines = []
    for i in order:
        cells = "".join(
            _cell(values[i, j], (scan.names[i], scan.names[j]) in discovered) for j in order
        )
        lines.append(f"<tr><th>{in_html(scan.names[i])}</th>{cells}</tr>")
    return (
        "<p>A row tells about a column: held-out variance in percent, where it was found.</p>"
        f"<table class='scan'><tr><th></th>{head}</tr>{''.join(lines)}</table>"
    )


def _cell(share: float, discovered: bool) -> str:
    if share != share or not discovered:
        return "<td></td>"
    color = f"rgba(0,114,178,{0.08 + 0.92 * share:.2f})"
    ink = "white" if share > 0.5 else "black"
    return f"<td class='n' style='background:{color};color:{ink}'>{100 * share:.0f}</td>"
