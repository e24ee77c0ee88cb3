"""Appendix A: the perturbation multiplier chi, plain and with normalized pre-activations.

The paper gives one number for a family of reservoirs, so a run is a member of the family: an
architecture at a depth, or an activation.
"""

from __future__ import annotations

import numpy as np

from novelty_lab.ledger import Finding, Source, Value
from novelty_lab.records import Record

PLAIN, NORMALIZED = 0, 1
"""Places in the arrays."""
SHALLOW = 16
"""Depth up to which the paper's number for plain reservoirs stands."""


def _chi(record: Record, kind: int) -> np.ndarray:
    """Return mean and deviation over draws, (architectures, depths, 2)."""
    return record.arrays["depth"][:, kind]


def _plain(record: Record) -> Finding:
    shallow = np.array(record.configuration["depths"]) <= SHALLOW
    chi = _chi(record, PLAIN)[:, shallow, 0]
    return Finding(values=(Value.of(chi.ravel()),), note=_from_to(chi))


def _plain_deep(record: Record) -> Finding:
    deepest = int(np.argmax(record.configuration["depths"]))
    differences = record.results["plain_deepest_by_differences"]
    phrases = [f"{chi:.2f} with a step of {step}" for step, chi in differences.items()]
    note = f"Finite differences in single precision give {', '.join(phrases)}."
    return Finding(values=(Value.of(_chi(record, PLAIN)[:, deepest, 0]),), note=note)


def _normalized(record: Record) -> Finding:
    chi = _chi(record, NORMALIZED)[..., 0]
    activations = record.results["gain_one"]
    phrases = [f"{name} {value:.2f}" for name, value in activations.items()]
    return Finding(
        values=(Value.of(chi.ravel()), Value.of(activations.values())),
        note=f"{_from_to(chi)} At gain one: {', '.join(phrases)}.",
    )


def _independent(record: Record) -> Finding:
    """Gather every normalized setting: architectures, depths and input scales."""
    settings = [*_chi(record, NORMALIZED).reshape(-1, 2), *record.arrays["scale"][NORMALIZED]]
    draws = record.configuration["draws"]
    values = tuple(Value(float(mean), float(sd), draws) for mean, sd in settings)
    means = [value.mean for value in values]
    return Finding(values=values, shown=[min(means), max(means)], runs=draws)


def _preactivation(record: Record) -> Finding:
    """Pool the layers: the root mean square of their deviations."""
    layers = record.results["preactivation_sd"]
    pooled = float(np.sqrt(np.mean(np.square(layers))))
    note = f"By layer: {', '.join(f'{sd:.2f}' for sd in layers)}."
    return Finding(values=(Value(pooled),), runs=record.configuration["draws"], note=note)


def _from_to(chi: np.ndarray) -> str:
    return f"From {chi.min():.2f} to {chi.max():.2f} over architectures and depths."


SOURCES = {
    "chi.plain": Source("criticality", _plain),
    "chi.plain.depth32": Source("criticality", _plain_deep),
    "chi.normalized": Source("criticality", _normalized),
    "chi.scale": Source("criticality", _independent),
    "chi.preactivation": Source("criticality", _preactivation),
}
