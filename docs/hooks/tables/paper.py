"""Automata, readouts, solvers and encoders."""

from __future__ import annotations

from typing import Any

import numpy as np

from docs.hooks.tables.records import ROOT, claim, markdown, record
from novelty_lab import records


def appendix_d() -> str:
    """Compare the ridge and the exact readout of the automata with the paper."""
    results = record("mdl")
    observers = {
        "table 2 (depth 3, ridge 0.03)": results["table 2"],
        "inverse NCA (depth 4, ridge 0.3)": results["inverse NCA"],
    }
    ours = list(observers.values())
    margin, rank = (", ".join(map(str, claim(name))) for name in ("mdl.margin", "mdl.41"))
    margins = [f"{o['margin_ridge']:.1f}, {o['margin_exact']:.1f}" for o in ours]
    ranks = [", ".join(f"{place:g}" for place in o["rank_41"]) for o in ours]
    same = ["yes" if o["same_top_fourteen"] else "no" for o in ours]
    spearman, ratio = str(claim("mdl.spearman")), str(claim("mdl.ratio"))
    rows = [
        ["Spearman correlation", spearman, *(f"{o['spearman']:.3f}" for o in ours)],
        ["largest ratio exact / ridge", ratio, *(f"{o['largest_ratio']:.2f}" for o in ours)],
        ["same top fourteen", "yes", *same],
        ["margin of 110, ridge then exact", margin, *margins],
        ["rank of rule 41, ridge then exact", rank, *ranks],
    ]
    return markdown(["", "paper", *observers], rows)


def nca_scan() -> str:
    """List the final score of the neural automaton, one open setting changed at a time."""
    results = record("nca-scan")
    shown = sorted(results.items(), key=lambda item: -item[1]["final"])
    rows = [[name, f"{row['final']:.1f} ± {row['final_sd']:.1f}"] for name, row in shown]
    return markdown(["change", "final bits, two seeds"], rows)


CODES = {
    "pixels": "raw pixels",
    "PCA-64": "PCA-64",
    "untrained": "untrained encoder",
    "coding rate": "coding rate, same encoder and budget",
    "paper": "the paper's",
    "untrained conv": "untrained convolutional encoder",
    "conv by mlp": "conv by mlp (chosen unmoved)",
    "conv by conv, resolution 300": "conv by conv, resolution 300 (chosen unmoved)",
    "conv by mlp, moved": "conv by mlp, moved (chosen)",
}


def encoder_controls() -> str:
    """Compare codes of images by probes that see the labels."""
    table = record("encoder-controls")["table"]
    digits, fashion = table["mnist"], table["fashion-mnist"]
    rows = [
        [
            CODES.get(name, name),
            *(f"{mean_of(row[key]):.3f}" for key in ("linear", "neighbours")),
            f"{mean_of(row['clusters']):.2f}",
            *(f"{mean_of(fashion[name][key]):.3f}" for key in ("linear", "neighbours")),
        ]
        for name, row in digits.items()
    ]
    sets = ["MNIST linear", "MNIST 5-NN", "MNIST k-means", "Fashion linear", "Fashion 5-NN"]
    return markdown(["code", *sets], rows)


def mean_of(row: Any) -> float:
    """Return a value, or the mean of several runs."""
    return row["mean"] if isinstance(row, dict) else row


def ridge() -> str:
    """Give bits against n/lambda for structure and for noise."""
    bits = record("solvers")["bits"]
    titles = {
        "Lorenz": "a Lorenz ensemble",
        "orbit": "one rotation",
        "noise": "the same inputs, noise for targets",
    }
    rows = [[title, *(f"{value:.1f}" for value in bits[k][:9:2])] for k, title in titles.items()]
    return markdown(["n/λ", "10²", "10³", "10⁴", "10⁵", "10⁶"], rows)


SOLVER_TITLES = {
    "float64 Gram": "float64 Cholesky",
    "float64 dual": "float64 dual",
    "float64 QR": "float64 QR",
    "online observer": "online observer",
    "determinants": "determinants alone",
    "float32 Gram": "float32 moments",
    "float32 QR": "float32 QR",
}
SOLVER_RATIOS = {1e2: "10²", 1e4: "10⁴", 1e6: "10⁶", 1e8: "10⁸", 1e9: "10⁹"}


def solver_errors() -> str:
    """Give the largest relative error of the score over all data sets, by solver and n/lambda."""
    solvers = records.load(ROOT / "results" / "solvers" / "paper-seed0")
    names, errors = solvers.results["solvers"], solvers.arrays["score_error"]
    ratios = np.array(solvers.configuration["ratios"])

    def cell(name: str, ratio: float) -> str:
        column = int(np.abs(ratios / ratio - 1).argmin())
        worst = errors[:, names.index(name), column]
        if np.isfinite(worst).all():
            digits, power = f"{worst.max():.0e}".split("e")
            return f"{digits}e{int(power)}"
        return "refused" if name == "online observer" else "fails"

    rows = [[t, *(cell(name, at) for name in SOLVER_TITLES)] for at, t in SOLVER_RATIOS.items()]
    return markdown(["n/λ", *SOLVER_TITLES.values()], rows)
