"""Robustness of the encoder: a map of the linear probe, and the claims of appendix G."""

from __future__ import annotations

from matplotlib.figure import Figure

from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.scan_map import draw_scan
from novelty_lab.style import label_panel, new_figure
from novelty_lab.tables import in_words, table

LABELS = {
    "learning_rate": "learning rate",
    "batch_size": "batch size",
    "code_dim": "code dimension $D$",
    "reservoir_depth": "reservoir depth",
    "reservoir_width": "reservoir width",
    "ridge_penalty": r"ridge $\lambda$",
    "resolution": r"resolution $\eta$",
}
COLUMNS = {
    "setting": "{setting}",
    "value (* reference)": "{value:g}{star}",
    "linear probe": "{linear:.3f}",
    "5 nearest": "{neighbours:.3f}",
    "bits": "{bits:.1f}",
}


def tables(record: Record) -> list[Table]:
    """List the whole scan, and on MNIST the claims of appendix G beside ours."""
    rows = [
        {**cell, "setting": in_words(cell["axis"]), "star": " *" if cell["is_reference"] else ""}
        for cell in record.results["cells"].values()
    ]
    scan = table(f"The scan, {record.configuration['steps']} steps each", COLUMNS, rows)
    return [scan]


def figure(record: Record) -> Figure:
    """Draw the map, columns aligned by the step from the reference."""
    cells = list(record.results["cells"].values())
    fig = new_figure(8.0, 0.5 * len({cell["axis"] for cell in cells}) + 1.2)
    axes = fig.subplots()
    scale = draw_scan(
        axes,
        cells,
        LABELS,
        number=lambda cell: cell["linear"],
        text="{0[linear]:.2f}".format,
        limits=(0.0, 1.0),
        outline=1.8,
        dark=1.5,
        fontsize=8,
        linespacing=1.2,
    )
    axes.set_xlabel("steps from the reference, outlined (each cell: value above, accuracy below)")
    fig.colorbar(scale, ax=axes, label="linear-probe accuracy", pad=0.01)
    steps, dataset = record.configuration["steps"], record.configuration["dataset"]
    label_panel(axes, "", f"one setting at a time: {dataset}, {steps} steps, one seed")
    return fig
