"""Robustness of the encoder: a heat map of the linear probe, and the claims of appendix G."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from novelty_lab.artefacts.encoder_scan.claims import STEADY
from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.style import label_panel, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable
    from matplotlib.figure import Figure

LABELS = {
    "learning_rate": "learning rate",
    "batch_size": "batch size",
    "code_dim": "code dimension $D$",
    "reservoir_depth": "reservoir depth",
    "reservoir_width": "reservoir width",
    "ridge_penalty": r"ridge $\lambda$",
    "resolution": r"resolution $\eta$",
}


def tables(record: Record) -> list[Table]:
    """List the claims of appendix G beside ours, and the whole scan."""
    cells = list(record.results["cells"].values())
    scan = [
        [
            c["axis"].replace("_", " "),
            f"{c['value']:g}{' *' if c['is_reference'] else ''}",
            f"{c['linear']:.3f}",
            f"{c['neighbours']:.3f}",
            f"{c['bits']:.1f}",
        ]
        for c in cells
    ]
    columns = ["setting", "value (* reference)", "linear probe", "5 nearest", "bits"]
    found = [Table(f"The scan, {record.configuration['steps']} steps each", columns, scan)]
    if record.configuration["dataset"] == "mnist":
        claims = [[*claim, _range(held)] for *claim, held in _claims(cells) if held]
        heads = ["setting", "paper, linear probe", "ours"]
        found.append(Table("Appendix G beside ours", heads, claims))
    return found


def figure(record: Record) -> Figure:
    """Draw the heat map, columns aligned by the step from the reference."""
    from matplotlib import colormaps
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    rows: dict[str, list[dict[str, Any]]] = {}
    for cell in record.results["cells"].values():
        rows.setdefault(cell["axis"], []).append(cell)
    fig = new_figure(8.0, 0.5 * len(rows) + 1.2)
    axes = fig.subplots()
    scale = ScalarMappable(Normalize(0.0, 1.0), colormaps["RdBu"])
    offsets: list[int] = []
    for row, cells in enumerate(rows.values()):
        centre = next((i for i, c in enumerate(cells) if c["is_reference"]), 0)
        for column, cell in enumerate(cells):
            offsets.append(column - centre)
            _cell(axes, column - centre, row, cell, scale)
    low, high = min(offsets), max(offsets)
    axes.set(xlim=(low - 0.55, high + 0.55), ylim=(len(rows) - 0.45, -0.55))
    axes.set_yticks(range(len(rows)), [LABELS[name] for name in rows])
    axes.set_xticks(range(low, high + 1))
    axes.set_xlabel("steps from the reference, outlined (each cell: value above, accuracy below)")
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    fig.colorbar(scale, ax=axes, label="linear-probe accuracy", pad=0.01)
    steps, dataset = record.configuration["steps"], record.configuration["dataset"]
    label_panel(axes, "", f"one setting at a time: {dataset}, {steps} steps, one seed")
    return fig


def _cell(axes: Axes, x: int, row: int, cell: dict[str, Any], scale: ScalarMappable) -> None:
    from matplotlib.patches import Rectangle

    red, green, blue, _ = scale.to_rgba(cell["linear"])
    edge = (
        {"edgecolor": "black", "linewidth": 1.8, "zorder": 3}
        if cell["is_reference"]
        else {"edgecolor": "white", "linewidth": 1.0}
    )
    colour = (red, green, blue)
    axes.add_patch(Rectangle((x - 0.5, row - 0.5), 1, 1, facecolor=colour, **edge))
    axes.text(
        x,
        row,
        f"{cell['value']:g}\n{cell['linear']:.2f}",
        ha="center",
        va="center",
        fontsize=8,
        linespacing=1.2,
        color="white" if sum(colour) < 1.5 else "black",
        zorder=4,
    )


def _claims(cells: list[dict[str, Any]]) -> list[tuple[str, str, list[float]]]:
    """Gather the accuracies that each claim is about."""

    def of(axis: str, most: float = float("inf")) -> list[float]:
        return [c["linear"] for c in cells if c["axis"] == axis and c["value"] <= most]

    steady = [(axis.replace("_", " "), "0.80-0.90", of(axis)) for axis in STEADY]
    return [
        *steady,
        ("ridge at most 0.3", "below 0.50", of("ridge_penalty", 0.3)),
        ("resolution at most 0.1", "below 0.50", of("resolution", 0.1)),
    ]


def _range(values: list[float]) -> str:
    return f"{min(values):.2f}-{max(values):.2f}"
