"""The edge of chaos: chi against depth, gain and input scale, and what survives of a signal."""

from __future__ import annotations

from statistics import mean
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.style import BLACK, BLUE, GREEN, ORANGE, PURPLE, RED, SKY, label_panel, new_figure

COLOURS = (BLUE, ORANGE, GREEN)
MARKERS = "os^"
POINTS: dict[str, Any] = {"markersize": 4, "capsize": 2}
ACTIVATION_COLOURS = (RED, PURPLE, SKY, BLACK)
CHI = r"perturbation multiplier $\chi$"


def tables(record: Record) -> list[Table]:
    """List the measured multipliers, and the claims of appendix A beside ours."""
    results = record.results
    deepest, theory = max(record.configuration["depths"]), results["gain_one_mean_field"]
    by_layer = results["preactivation_sd"]
    by_scale = results["preactivation_sd_by_scale"].values()
    layers = ", ".join(f"{mean(sd):.2f}" for sd in zip(*by_layer, strict=True))
    rows = {
        "plain, depths to 16": _range(results["plain_to_depth_16"]),
        f"plain, depth {deepest}, exact derivatives": _range(results["plain_deepest"]),
        **{
            f"plain, depth {deepest}, differences of {step} in float32": _range(
                [min(chi.values()), max(chi.values())]
            )
            for step, chi in results["plain_deepest_by_differences"].items()
        },
        "normalized, all depths and architectures": _range(results["normalized"]),
        **{
            f"gain one, {name} (mean field {theory[name]:.2f})": f"{chi:.2f}"
            for name, chi in results["gain_one"].items()
        },
        "normalized, all input scales": _range(results["scale_normalized"]),
        "plain, all input scales": _range(results["scale_plain"]),
        "sd of the pre-activations, layers 1 to 4": layers,
        "their mean, all input scales": f"{min(by_scale):.2g} to {max(by_scale):.2g}",
    }
    columns = ["reservoirs", "perturbation multiplier"]
    measured = Table("The reservoir at the edge of chaos", columns, list(map(list, rows.items())))
    return [measured]


def figure(record: Record) -> Figure:
    """Draw the four panels."""
    fig = new_figure(8.0, 6.0)
    axes = fig.subplots(2, 2)
    _depth(axes[0, 0], record)
    _survival(axes[0, 1], record)
    _gain(axes[1, 0], record)
    _scale(axes[1, 1], record)
    for panel in (axes[0, 0], axes[1, 0], axes[1, 1]):
        panel.axhline(1.0, color="0.6", linewidth=0.8, zorder=0)
        panel.set_ylabel(CHI)
    return fig


def _depth(axes: Axes, record: Record) -> None:
    depths, chi = record.configuration["depths"], record.arrays["depth"]
    for row, name in enumerate(record.results["architectures"]):
        for normalized, style in ((1, "-"), (0, "--")):
            mean, sd = chi[row, normalized].T
            look = {"linestyle": style, "marker": MARKERS[row], "color": COLOURS[row], **POINTS}
            axes.errorbar(depths, mean, yerr=sd, label=name if normalized else None, **look)
    steps, differences = record.configuration["difference_steps"], record.arrays["differences"]
    middle = len(steps) // 2
    label = f"MLP by float32 differences of {steps[middle]:g}"
    axes.plot(depths, differences[middle, 0], "x:", color=BLACK, markersize=5, label=label)
    axes.plot([], [], "--", color="0.3", label="dashed: plain, solid: normalized")
    axes.set_xscale("log", base=2)
    axes.set_xticks(depths, map(str, depths))
    axes.set(xlabel="depth (layers)", ylim=(0.4, 1.1))
    axes.legend(loc="center left", bbox_to_anchor=(0.0, 0.55), handlelength=3.0)
    label_panel(axes, "a", "depth and architecture")


def _survival(axes: Axes, record: Record) -> None:
    survival = record.arrays["survival"]
    layers = range(1, survival.shape[1] + 1)
    for row, name in enumerate(record.results["architectures"]):
        axes.plot(layers, survival[2 * row + 1], color=COLOURS[row], label=name)
        axes.plot(layers, survival[2 * row], "--", color=COLOURS[row])
    axes.plot([], [], "--", color="0.3", label="dashed: plain, solid: normalized")
    axes.set(yscale="log", xlabel="layer", ylabel="perturbation norm, relative to layer 1")
    axes.legend(loc="lower left")
    label_panel(axes, "b", "what survives of a perturbation")


def _gain(axes: Axes, record: Record) -> None:
    gains, chi = record.configuration["gains"], record.arrays["gain"]
    for row, name in enumerate(record.results["activations"]):
        mean, sd = chi[row].T
        colour = ACTIVATION_COLOURS[row]
        axes.errorbar(gains, mean, yerr=sd, fmt="o", markersize=4, color=colour, label=name)
        axes.plot(gains, record.arrays["gain_theory"][row], color=colour, linewidth=1.0)
    axes.plot([], [], color="0.3", linewidth=1.0, label="mean field")
    axes.axvline(1.0, color="0.6", linewidth=0.8, zorder=0)
    axes.set(xlabel="gain on the normalized pre-activations")
    axes.legend(loc="lower right", ncols=2)
    label_panel(axes, "c", f"activations, depth {record.configuration['depth']}")


def _scale(axes: Axes, record: Record) -> None:
    scales = record.configuration["input_scales"]
    for row, (name, style) in enumerate((("plain", "o--"), ("normalized", "o-"))):
        mean, sd = record.arrays["scale"][row].T
        axes.errorbar(scales, mean, yerr=sd, fmt=style, color=BLUE, label=name, **POINTS)
    axes.set(xscale="log", xlabel="standard deviation of the input", ylim=(0.4, 1.1))
    axes.legend(loc="center left", handlelength=4.0)
    label_panel(axes, "d", f"input scale, MLP of depth {record.configuration['depth']}")


def _range(values: list[float]) -> str:
    return f"{values[0]:.2f} to {values[1]:.2f}"
