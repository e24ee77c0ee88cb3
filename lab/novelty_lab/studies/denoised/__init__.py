"""Ours: denoised bits, calibrated like a test."""

from novelty_lab.artefact import Artefact

ARTEFACT = Artefact(
    __name__,
    "Ours: denoised bits: false directions of noise, bias and spread",
    order=165,
    takes="4 core-hours",
)
