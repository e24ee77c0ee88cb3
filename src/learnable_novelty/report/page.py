"""The page of ``novelty report``: one file that needs nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from scipy.optimize import brentq
from scipy.stats import chi2, ncx2

from learnable_novelty.data.describe import describe_columns, in_short
from learnable_novelty.data.names import as_option
from learnable_novelty.data.table import Column, Decision, Table, encode, gaps_of
from learnable_novelty.measure.scan_result import Relation, Scan
from learnable_novelty.measure.score import score
from learnable_novelty.measure.words import p_words, percent, share_words
from learnable_novelty.report.pictures import MOST_LEVELS, picture
from learnable_novelty.text import in_html

MOST_COLUMNS, MOST_RELATIONS, MOST_PICTURES, MOST_CELLS = 200, 60, 5, 30
"""Columns, relations and pictures that are shown, and columns of the map."""
PICTURE_ROWS = 2_000
POWER, LEVEL = 0.9, 0.05
STYLE = """
:root{color-scheme:light dark;--ink:#1b1b1b;--paper:#fff;--soft:#666;--rule:#ddd;--blue:#0072b2;
--red:#d55e00}@media(prefers-color-scheme:dark){:root{--ink:#e8e8e8;--paper:#16181b;--soft:#a0a0a0;
--rule:#3a3d42;--blue:#56b4e9;--red:#ff9a52}}*{box-sizing:border-box}
body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);margin:0 auto;
max-width:960px;padding:1rem 1.25rem 4rem}h1{font-size:1.6rem;line-height:1.25;margin:1rem 0 .25rem;
overflow-wrap:anywhere}h2{font-size:1.15rem;margin:2.2rem 0 .5rem}.soft{color:var(--soft)}
.wide{overflow-x:auto}table{border-collapse:collapse;font-size:14px}td,th{padding:3px 10px 3px 0;
text-align:left;border-bottom:1px solid var(--rule);vertical-align:top}td.n{text-align:right}
.map td{width:30px;min-width:30px;padding:3px;text-align:center;border:1px solid var(--rule)}
.map th{border:0;font-weight:400}.map th.v{writing-mode:vertical-rl;transform:rotate(180deg);
max-height:9rem;overflow:hidden}.pictures{display:grid;gap:1.5rem;
grid-template-columns:repeat(auto-fit,minmax(min(100%,20rem),1fr))}figure{margin:0}
figcaption{font-size:14px}svg{width:100%;height:auto}svg text{font-size:12px;fill:var(--soft)}
svg .mid{text-anchor:middle}svg .end{text-anchor:end}svg .name{fill:var(--ink);font-size:13px}
.points{fill:var(--soft);fill-opacity:.45}.axis,.line,.fit{fill:none}.axis{stroke:var(--soft)}
.line{stroke:var(--red);stroke-width:1.6;stroke-dasharray:6 4}.fit{stroke:var(--blue);
stroke-width:2.4}pre{background:color-mix(in srgb,var(--ink) 7%,transparent);padding:.75rem;
overflow-x:auto;font-size:13px;border-radius:6px}li{overflow-wrap:anywhere}
"""


def report_page(table: Table, scan: Scan, name: str) -> str:
    """Return the page of a table and its scan."""
    found = scan.discoveries()
    title, sentence = in_html(name), in_html(scan.title)
    size = f"{table.num_rows:,} rows, {len(table.columns)} columns"
    body = [
        f"<h1>{title}</h1><p class='soft'>{size}</p><p><strong>{sentence}.</strong></p>",
        _section("What was read", _columns(table)),
        _section("Alerts", _list(_alerts(table, scan))),
        _section("Which columns can be learned from the others", _relations(scan)),
        _section("Which column tells about which", _map(scan) if found else ""),
        _section("The strongest relations", _pictures(table, found)),
        _section("What could not be learned", _not_found(table, scan)),
        _section("Next", f"<pre>{in_html_lines(_commands(table, scan))}</pre>"),
    ]
    return (
        f"<!doctype html><html lang='en'><head><meta charset='utf-8'><title>{title}</title>"
        "<meta name='viewport' content='width=device-width,initial-scale=1'>"
        f"<style>{STYLE}</style></head><body>{''.join(body)}</body></html>"
    )


def _section(title: str, inside: str) -> str:
    return f"<section><h2>{title}</h2>{inside}</section>" if inside else ""


def in_html_lines(lines: Iterable[str]) -> str:
    """Escape lines, and keep them apart."""
    return "\n".join(map(in_html, lines))


def _list(lines: Iterable[str]) -> str:
    items = "".join(f"<li>{in_html(line)}</li>" for line in lines)
    return f"<ul>{items}</ul>" if items else "<p>None.</p>"


def _rows(head: Sequence[str], rows: Iterable[Sequence[str]], kind: str = "") -> str:
    cells = "".join(f"<th>{in_html(one)}</th>" for one in head)
    lines = "".join(
        f"<tr>{''.join(f'<td>{in_html(cell)}</td>' for cell in row)}</tr>" for row in rows
    )
    return f"<div class='wide'><table class='{kind}'><tr>{cells}</tr>{lines}</table></div>"


def _columns(table: Table) -> str:
    rows = describe_columns(table)
    left = len(rows) - MOST_COLUMNS
    more = f"<p class='soft'>and {left} more columns</p>" if left > 0 else ""
    return _rows(("column", "kind", "missing", "values"), rows[:MOST_COLUMNS]) + more


def _alerts(table: Table, scan: Scan) -> Iterator[str]:
    """Yield decisions that may be wrong, columns full of gaps, and cautions."""
    for column in table.columns:
        if 2 * column.missing > table.num_rows:
            yield f"{column.name}: {percent(column.missing / table.num_rows)} of values are missing"
    for note in table.notes:
        yield in_short(note) if isinstance(note, Decision) else note
    yield from (note for note in (*scan.notes, *scan.cautions) if note not in table.notes)


def _relations(scan: Scan) -> str:
    rows = []
    for one in scan.relations[:MOST_RELATIONS]:
        best = ", ".join(f"{name} {percent(share)}" for name, share in one.importance[:3])
        p = "-" if one.adjusted_p is None else p_words(one.adjusted_p)
        right = ""
        if one.classes is not None:
            right = f"{percent(one.classes.accuracy)} ({percent(one.classes.base_rate)})"
        share = share_words(one.held_out_variance, one.held_out_interval)
        rows.append((one.target, share, p, best if one.is_found else "", right))
    head = (
        "column",
        "explained in rows left out",
        "p, adjusted",
        "most important",
        "classes right (base rate)",
    )
    left = len(scan.relations) - len(rows)
    more = f"<p class='soft'>and {left} more</p>" if left > 0 else ""
    return _rows(head, rows) + more


def _map(scan: Scan) -> str:
    """Draw the importance of each input for each target that was found, times what is explained."""
    found = scan.discoveries()[:MOST_CELLS]
    weight: dict[str, float] = {}
    for one in found:
        for name, share in one.importance:
            weight[name] = weight.get(name, 0.0) + share * one.held_out_variance
    names = sorted(weight, key=lambda name: -weight[name])[:MOST_CELLS]
    head = "".join(f"<th class='v'>{in_html(name)}</th>" for name in names)
    lines = []
    for one in found:
        of = dict(one.importance)
        cells = "".join(_cell(of.get(name, 0.0) * one.held_out_variance) for name in names)
        lines.append(f"<tr><th>{in_html(one.target)}</th>{cells}</tr>")
    return (
        "<p>A row is learned from the columns: each one's part of the explained variance, in "
        f"percent.</p><div class='wide'><table class='map'><tr><th></th>{head}</tr>"
        f"{''.join(lines)}</table></div>"
    )


def _cell(share: float) -> str:
    if share < 0.01:
        return "<td></td>"
    ink = "color:#fff;" if share > 0.5 else ""
    color = f"rgba(0,114,178,{0.12 + 0.88 * min(share, 1):.2f})"
    return f"<td style='{ink}background:{color}'>{100 * share:.0f}</td>"


def _pictures(table: Table, found: Sequence[Relation]) -> str:
    drawn = [_figure(table, one) for one in [o for o in found if o.importance][:MOST_PICTURES]]
    if not drawn:
        return ""
    key = "<p class='soft'>Dashed: a straight line. Solid: the observer, from this input alone.</p>"
    return f"{key}<div class='pictures'>{''.join(drawn)}</div>"


def _figure(table: Table, one: Relation) -> str:
    """Draw a target against the one of its three most important inputs that alone tells most."""
    y = _few_levels(table[one.target])
    best, drawn, chosen = -1.0, "", ""
    for name, _ in one.importance[:3]:
        x = _few_levels(table[name])
        rows = np.flatnonzero(~gaps_of([x, y], table.num_rows))
        rows = np.sort(np.random.default_rng(0).permutation(rows)[:PICTURE_ROWS])
        pair = tuple(replace(column, values=column.values[rows]) for column in (x, y))
        told, target = (encode([one], is_input=one is pair[0]).matrix for one in pair)
        alone = score(told, target, draws=1, null=0)
        if not alone.held_out_variance > best:
            continue
        (a, b), held = (one.values.astype(np.float64) for one in pair), alone.predictions
        fit = None if y.levels or held is None else held.predicted[:, 0]
        best, chosen = alone.held_out_variance, name
        names, levels = (x.name, y.name), (x.levels, y.levels)
        drawn = picture(a, b, fit, names, levels)
    share = share_words(one.held_out_variance, one.held_out_interval)
    said = f"{y.name}: {share} explained by all inputs; {percent(max(0.0, best))} by {chosen} alone"
    return f"<figure>{drawn}<figcaption>{in_html(said)}</figcaption></figure>"


def _few_levels(column: Column) -> Column:
    """Return a category with its most frequent levels; all others are gaps."""
    if len(column.levels) <= MOST_LEVELS:
        return column
    counts = np.bincount(column.values[column.values >= 0], minlength=len(column.levels))
    kept = np.sort(np.argsort(-counts, kind="stable")[:MOST_LEVELS])
    place = np.full(len(column.levels) + 1, -1)
    place[kept] = np.arange(len(kept))
    levels = tuple(column.levels[k] for k in kept)
    return replace(column, values=place[column.values], levels=levels)


def smallest_share(rows: int, inputs: int, tests: int) -> float:
    """Return the share of variance of a straight line that is found 9 times in 10.

    The test of a line of k inputs has a noncentral chi-squared statistic, n s / (1 - s).

    >>> round(smallest_share(1000, 1, 1), 3), round(smallest_share(100, 5, 10), 2)
    (0.01, 0.2)
    """
    critical = chi2.isf(LEVEL / tests, inputs)
    found = brentq(lambda one: ncx2.sf(critical, inputs, one) - POWER, 1e-6, 1e4)
    strength = float(np.asarray(found))
    return strength / (rows + strength)


def _not_found(table: Table, scan: Scan) -> str:
    missed = [one for one in scan.relations if not one.is_found]
    if not missed:
        return "<p>Every column can be learned.</p>"
    lines = []
    for one in missed[:MOST_RELATIONS]:
        if one.adjusted_p is None:
            lines.append(f"{one.target}: not tested")
            continue
        share = smallest_share(one.num_rows, max(1, len(one.inputs)), len(scan.relations))
        need = round(one.num_rows * share / (1 - share) * 99, -1)
        lines.append(
            f"{one.target}: a straight line that explains {percent(share)} would have been found "
            f"9 times in 10 in {one.num_rows:,} rows; one that explains 1% needs about {need:,.0f}"
        )
    return _list(lines)


def _commands(table: Table, scan: Scan) -> Iterator[str]:
    for one in scan.discoveries()[:3]:
        yield scan.next_step(one)
    date = next((one.name for one in table.columns if one.kind == "date"), None)
    if date is not None and scan.source is not None and table.targets:
        told = [*as_option("--inputs", [table.targets[-1].name]), "--window", "1"]
        yield " ".join(["novelty", "score", scan.source, *told, *as_option("--time", [date])])
    if scan.source is not None:
        yield f"novelty scan {scan.source} --pairs"
