"""The observer: from inputs and targets to bits."""

from learnable_novelty.observer import reservoirs
from learnable_novelty.observer.code_length import code_length, log2det_plus_identity
from learnable_novelty.observer.denoise import Denoised, Edge
from learnable_novelty.observer.fit import Fit, Readout
from learnable_novelty.observer.growing import Focused, Growing, Growth, Step
from learnable_novelty.observer.moments import Moments, Roots, merge
from learnable_novelty.observer.observer import Observer
from learnable_novelty.observer.online import MAX_COUNT_PER_PENALTY, OnlineObserver, StreamSums
from learnable_novelty.observer.penalty import PerSample
from learnable_novelty.observer.spectral import Spectral
from learnable_novelty.observer.standardize import CONSTANT_TOLERANCE, Rows, standardize

__all__ = [
    "CONSTANT_TOLERANCE",
    "MAX_COUNT_PER_PENALTY",
    "Denoised",
    "Edge",
    "Fit",
    "Focused",
    "Growing",
    "Growth",
    "Moments",
    "Observer",
    "OnlineObserver",
    "PerSample",
    "Readout",
    "Roots",
    "Rows",
    "Spectral",
    "Step",
    "StreamSums",
    "code_length",
    "log2det_plus_identity",
    "merge",
    "reservoirs",
    "standardize",
]
