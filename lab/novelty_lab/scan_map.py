"""The map of a scan that changes one setting at a time: a row per setting, a cell per value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.patches import Rectangle

Cell = Mapping[str, Any]
"""One configuration of the scan, with its ``axis``, its ``value`` and ``is_reference``."""


def draw_scan(
    axes: Axes,
    cells: Iterable[Cell],
    labels: Mapping[str, str],
    *,
    number: Callable[[Cell], Any],
    text: Callable[[Cell], str],
    limits: tuple[float, float],
    outline: float,
    dark: float,
    **look: Any,
) -> ScalarMappable:
    """Draw the cells, with the reference values in one column, and return their colour scale.

    Args:
        axes: to draw on.
        cells: in the order in which they are shown.
        labels: names of the settings.
        number: which a cell is coloured by.
        text: which a cell shows under its value.
        limits: of the colours.
        outline: width of the line around the reference values.
        dark: sum of red, green and blue below which the text is white.
        look: of the text.
    """
    scale = ScalarMappable(Normalize(*limits), colormaps["RdBu"])
    rows: dict[str, list[Cell]] = {}
    for cell in cells:
        rows.setdefault(cell["axis"], []).append(cell)
    columns: list[int] = []
    for row, group in enumerate(rows.values()):
        reference = next((i for i, cell in enumerate(group) if cell["is_reference"]), 0)
        for column, cell in enumerate(group, start=-reference):
            columns.append(column)
            colour = scale.to_rgba(number(cell))[:3]
            _draw_box(axes, column, row, colour, outline if cell["is_reference"] else 0.0)
            look |= {"color": "white" if sum(colour) < dark else "black"}
            shown = f"{cell['value']:g}\n{text(cell)}"
            axes.text(column, row, shown, ha="center", va="center", zorder=4, **look)
    low, high = min(columns), max(columns)
    axes.set(xlim=(low - 0.55, high + 0.55), ylim=(len(rows) - 0.45, -0.55))
    axes.set_yticks(range(len(rows)), [labels.get(name, name) for name in rows])
    axes.set_xticks(range(low, high + 1))
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    return scale


def _draw_box(axes: Axes, x: int, y: int, colour: Any, outline: float) -> None:
    edge: dict[str, Any] = {"edgecolor": "white", "linewidth": 1.0}
    if outline:
        edge = {"edgecolor": "black", "linewidth": outline, "zorder": 3}
    axes.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=colour, **edge))
