"""What the comparison compares: measures, published figures, and ways of sampling."""

from __future__ import annotations

from typing import Any

from novelty_lab.records import Record

MEASURES = {
    "bits": "learnable novelty, raw",
    "excess": "learnable novelty, excess",
    "evidence_excess": "  excess, evidence ridge",
    "prequential_structure": "trained network, structure",
    "predictive_information": "predictive information",
    "prequential_rate": "trained network, whole code",
    "gzip": "gzip",
    "lempel_ziv": "Lempel-Ziv",
    "permutation_entropy": "permutation entropy",
    "sample_entropy": "sample entropy",
}
"""What is drawn, those that claim to find structure first."""
FIGURES = {
    "lyapunov": "largest\nLyapunov exp.",
    "entropy": "Pesin\nentropy",
    "kaplan_yorke": "Kaplan-Yorke\ndimension",
    "correlation": "correlation\ndimension",
    "multiscale": "multiscale\nentropy",
}
SAMPLINGS = {"period": "leads in periods", "fixed": "leads of 0.1 to 1"}


def correlations(record: Record, sampling: str) -> dict[tuple[str, str], dict[str, Any]]:
    """Return rank correlations by measure and published figure."""
    return {
        (row["measure"], row["figure"]): row
        for row in record.results["correlations"]
        if row["sampling"] == sampling
    }
