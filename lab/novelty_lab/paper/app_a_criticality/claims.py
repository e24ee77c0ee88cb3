"""Appendix A: the perturbation multiplier chi, plain and with normalized pre-activations.

The paper gives one number for a family of reservoirs, so a run is a member of the family: an
architecture at a depth, or an activation.
"""

from __future__ import annotations

import numpy as np

from novelty_lab.ledger.findings import Finding, Value
from novelty_lab.ledger.source import Source
from novelty_lab.records import Record

PLAIN, NORMALIZED = 0, 1
"""Places in the arrays."""
ORDERS, DRIFTS = 100.0, 2.0
"""Times by which an operating point shifts "by orders of magnitude", and by which it drifts."""
EXPONENTIAL, PRESERVED = 0.99, 10.0
"""r2 of an exponential decay, and times by which a norm that is preserved may change."""
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
    """Read finite differences in single precision, of every architecture and size of the step."""
    differences = record.results["plain_deepest_by_differences"]
    family = [chi for by_architecture in differences.values() for chi in by_architecture.values()]
    phrases = [
        f"{np.mean(list(chi.values())):.2f} with a step of {step}"
        for step, chi in differences.items()
    ]
    exact = _chi(record, PLAIN)[:, int(np.argmax(record.configuration["depths"])), 0].mean()
    note = f"{', '.join(phrases)}; exact derivatives give {exact:.2f}: the rise is rounding."
    return Finding(values=(Value.of(family),), note=note)


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
    """Read every layer by itself; a run is a draw."""
    layers = np.array(record.results["preactivation_sd"]).T
    return Finding(values=tuple(map(Value.of, layers)), note="Layers 1 to 4.")


def _drift(record: Record) -> Finding:
    """Compare the plain reservoir's operating point over input scales, and over layers."""
    by_scale = record.results["preactivation_sd_by_scale"].values()
    layers = np.mean(record.results["preactivation_sd"], axis=0)
    shift, drift = max(by_scale) / min(by_scale), layers.max() / layers.min()
    against = {
        f"{shift:.0f} times over the input scales": shift < ORDERS,
        f"{drift:.1f} times over the layers": drift < DRIFTS,
    }
    scales = record.configuration["input_scales"]
    note = (
        f"{shift:.0f} times over input scales {min(scales):g} to {max(scales):g}, {drift:.1f} times"
    )
    return Finding(
        against=against, runs=record.configuration["draws"], note=f"{note} over four layers."
    )


def _survival(record: Record) -> Finding:
    """Fit a line to the logarithm of what survives in plain reservoirs, layer by layer."""
    survival = record.arrays["survival"]
    plain, normalized = np.log(survival[0::2]), survival[1::2]
    layers = np.arange(survival.shape[1])
    straight = [float(np.corrcoef(layers, curve)[0, 1] ** 2) for curve in plain]
    rates = [float(np.exp(np.polyfit(layers, curve, 1)[0])) for curve in plain]
    against = {
        "the plain reservoir does not contract": max(rates) >= 1,
        f"not exponential: r2 {min(straight):.3f}": min(straight) < EXPONENTIAL,
        "the normalized one does not preserve": normalized.min() < 1 / PRESERVED
        or normalized.max() > PRESERVED,
    }
    note = (
        f"Plain: {min(rates):.2f} to {max(rates):.2f} a layer (r2 above {min(straight):.4f}); "
        f"normalized: {normalized.min():.2f} to {normalized.max():.2f} of layer 1."
    )
    return Finding(against=against, runs=record.configuration["draws"], note=note)


def _from_to(chi: np.ndarray) -> str:
    return f"From {chi.min():.2f} to {chi.max():.2f} over architectures and depths."


SOURCES = {
    "chi.plain": Source("criticality", _plain),
    "chi.plain.depth32": Source("criticality", _plain_deep),
    "chi.normalized": Source("criticality", _normalized),
    "chi.scale": Source("criticality", _independent),
    "chi.preactivation": Source("criticality", _preactivation),
    "chi.drift": Source("criticality", _drift),
    "chi.survival": Source("criticality", _survival),
}
