"""Denoised bits as an objective: automata and encoders trained on raw and on denoised bits."""

from __future__ import annotations

from typing import Any

from matplotlib.figure import Figure

from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.style import BLUE, ORANGE, label_panel, new_figure
from novelty_lab.tables import named, table

COLOURS = {"raw": BLUE, "denoised": ORANGE}
AUTOMATA = {
    "training": "{name}",
    "raw bits": "{raw[0]:.1f} → {raw[1]:.1f}",
    "denoised bits": "{denoised[0]:.1f} → {denoised[1]:.1f}",
    "travelling": "{travelling[0]:.2f} → {travelling[1]:.2f}",
    "seconds": "{seconds:.0f}",
}
ENCODERS = {
    "training": "{name}",
    "raw bits": "{raw[0]:.1f} → {raw[-1]:.1f}",
    "denoised bits": "{denoised[0]:.1f} → {denoised[-1]:.1f}",
    "linear probe": "{linear[0]:.3f} → {linear[-1]:.3f}",
    "nearest neighbours": "{neighbours[0]:.3f} → {neighbours[-1]:.3f}",
    "clusters": "{clusters[0]:.2f} → {clusters[-1]:.2f}",
    "seconds": "{seconds:.0f}",
}


def tables(record: Record) -> list[Table]:
    """List the trainings, from the first step to the last, judged on new data."""

    def ends(row: dict[str, Any]) -> dict[str, Any]:
        last = {name: [row[name][0], row[name][-1]] for name in row if isinstance(row[name], list)}
        return row | last

    encoders = {name: text.replace("[-1]", "[1]") for name, text in ENCODERS.items()}
    return [
        table("Neural automata", AUTOMATA, map(ends, named(record.results["automata"]))),
        table("Encoders", encoders, map(ends, named(record.results["encoders"]))),
    ]


def figure(record: Record) -> Figure:
    """Draw bits of automata, bits and probes of encoders, and what the automata do."""
    results = record.results
    pictures = {name: a for name, a in record.arrays.items() if name.startswith("picture/")}
    fig = new_figure(11.0, 6.2)
    grid = fig.add_gridspec(2, 12)
    bits, codes, probes = (fig.add_subplot(grid[0, i : i + 4]) for i in (0, 4, 8))
    for row in results["automata"].values():
        bits.plot(row["raw"], row["denoised"], "-o", color=COLOURS[row["objective"]], markersize=3)
    bits.set(xlabel="raw bits", ylabel="denoised bits")
    label_panel(bits, "a", "automata, first and last rule")
    for row in results["encoders"].values():
        colour = COLOURS[row["objective"]]
        codes.plot(row["raw"], row["denoised"], "-o", color=colour, markersize=3)
        probes.plot(row["steps"], row["linear"], "-o", color=colour, markersize=3)
    codes.set(xlabel="raw bits", ylabel="denoised bits")
    label_panel(codes, "b", "encoders, at checkpoints")
    probes.set(xlabel="step", ylabel="accuracy of the linear probe")
    label_panel(probes, "c", "encoders, labels read off codes")
    for objective, colour in COLOURS.items():
        bits.plot([], [], color=colour, label=f"trained on {objective} bits")
    bits.legend(fontsize=6.5)
    width = max(1, 12 // max(1, len(pictures)))
    for place, (name, picture) in enumerate(list(pictures.items())[:12]):
        axes = fig.add_subplot(grid[1, place * width : (place + 1) * width])
        axes.imshow(picture, cmap="twilight", aspect="auto", interpolation="nearest")
        axes.set(xticks=[], yticks=[])
        words = name.removeprefix("picture/automaton-").replace("-", " ")
        axes.set_title(words, fontsize=7)
    return fig
