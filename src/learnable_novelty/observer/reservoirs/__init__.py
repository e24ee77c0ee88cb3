"""Frozen random feature maps, one per data geometry."""

from learnable_novelty.observer.reservoirs.base import ACTIVATIONS, Reservoir
from learnable_novelty.observer.reservoirs.feedforward import MLP, Conv1d, Conv2d, Feedforward
from learnable_novelty.observer.reservoirs.fourier import Fourier
from learnable_novelty.observer.reservoirs.identity import Identity
from learnable_novelty.observer.reservoirs.image import ImageConv
from learnable_novelty.observer.reservoirs.recurrent import Recurrent
from learnable_novelty.observer.reservoirs.tabular import Tabular

__all__ = [
    "ACTIVATIONS",
    "MLP",
    "Conv1d",
    "Conv2d",
    "Feedforward",
    "Fourier",
    "Identity",
    "ImageConv",
    "Recurrent",
    "Reservoir",
    "Tabular",
]
