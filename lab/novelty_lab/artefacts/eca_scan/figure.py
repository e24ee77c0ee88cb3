"""Robustness of the automaton ranking: two heat maps and the claims of appendix B."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.style import label_panel, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LABELS = {
    "resolution": r"resolution $\eta$",
    "ridge_penalty": r"ridge $\lambda$",
    "window": r"window $\tau$",
    "depth": "depth",
    "kernel_size": "kernel size",
    "channels": "channels",
    "samples": "samples $N$",
    "input_scale": "input scale",
}


def tables(record: Record) -> list[Table]:
    """List the claims of appendix B beside ours, and the whole scan."""
    claims = [
        [
            c["statement"],
            _text(c["paper"], c["paper_sd"]),
            _text(c["ours"], c["ours_sd"]),
            "" if c["deviation"] is None else f"{c['deviation']:+.1f}",
        ]
        for c in record.results["claims"]
    ]
    scan = [
        [
            c["axis"].replace("_", " "),
            f"{c['value']:g}",
            f"{c['margin']:.1f}",
            c["first"],
            f"{c['rank_30']} / {c['rank_54']}",
            f"{c['spearman']:.3f}",
        ]
        for c in record.results["cells"].values()
    ]
    beside = Table("Appendix B beside ours", ["claim", "paper", "ours", "deviation"], claims)
    columns = ["setting", "value", "margin of 110, bits", "first", "ranks 30 / 54", "Spearman"]
    return [Table("The scan, one draw each", columns, scan), *([beside] if claims else [])]


def figure(record: Record) -> Figure:
    """Draw both heat maps, columns aligned by the step from the reference."""
    rows = _rows(record)
    fig = new_figure(8.2, 0.85 * len(rows) + 1.6)
    margin, order = fig.subplots(2, 1)
    label_panel(margin, "a", "margin of rule 110 over the best other rule (bits)")
    label_panel(order, "b", "ranks of rules 30 / 54")
    _heat_map(
        fig,
        margin,
        rows,
        lambda c: c["margin"],
        30.0,
        _margin_text,
        "margin (bits); blue: rule 110 first",
    )
    _heat_map(
        fig,
        order,
        rows,
        lambda c: c["rank_30"] - c["rank_54"],
        15.0,
        lambda c: f"{c['rank_30']} / {c['rank_54']}",
        "rank difference; blue: 54 above 30",
    )
    return fig


def _margin_text(cell: dict[str, Any]) -> str:
    text = f"{cell['margin']:.1f}"
    return text if cell["rank_110"] == 1 else f"{text}\nrank {cell['rank_110']}"


def _rows(record: Record) -> dict[str, list[dict[str, Any]]]:
    rows: dict[str, list[dict[str, Any]]] = {}
    for cell in record.results["cells"].values():
        rows.setdefault(cell["axis"], []).append(cell)
    return rows


def _heat_map(
    fig: Figure,
    axes: Axes,
    rows: dict[str, list[dict[str, Any]]],
    value: Any,
    limit: float,
    text: Any,
    bar_label: str,
) -> None:
    from matplotlib import colormaps
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize
    from matplotlib.patches import Rectangle

    scale = ScalarMappable(Normalize(-limit, limit), colormaps["RdBu"])
    offsets: list[int] = []
    for row, cells in enumerate(rows.values()):
        centre = next((i for i, c in enumerate(cells) if c["is_reference"]), 0)
        for column, cell in enumerate(cells):
            x = column - centre
            offsets.append(x)
            colour = scale.to_rgba(value(cell))
            edge = (
                {"edgecolor": "black", "linewidth": 1.6, "zorder": 3}
                if cell["is_reference"]
                else {"edgecolor": "white", "linewidth": 1.0}
            )
            axes.add_patch(Rectangle((x - 0.5, row - 0.5), 1, 1, facecolor=colour, **edge))
            dark = sum(colour[:3]) < 1.4
            axes.text(
                x,
                row,
                f"{cell['value']:g}\n{text(cell)}",
                ha="center",
                va="center",
                fontsize=6.5,
                linespacing=1.15,
                color="white" if dark else "black",
                zorder=4,
            )
    axes.set(xlim=(min(offsets) - 0.55, max(offsets) + 0.55), ylim=(len(rows) - 0.45, -0.55))
    axes.set_yticks(range(len(rows)), [LABELS.get(name, name) for name in rows])
    axes.set_xticks(range(min(offsets), max(offsets) + 1))
    axes.set_xlabel("steps from the reference value (each cell: value, then what it shows)")
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    fig.colorbar(scale, ax=axes, label=bar_label, shrink=0.8, pad=0.01)


def _text(value: Any, deviation: float | None) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if not isinstance(value, float):
        return str(value)
    return f"{value:.2f}" if deviation is None else f"{value:.1f} ± {deviation:.1f}"
