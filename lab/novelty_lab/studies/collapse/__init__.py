"""Ours: terms that keep a learned code from collapsing, the score among them."""

from novelty_lab.artefact import Artefact

ARTEFACTS = (
    Artefact(
        __name__,
        "Ours: codes of CIFAR-10 that agree between views, kept alive by five terms",
        order=152,
        engine="serial",
        uses=("device", "data"),
        called="collapse-images",
        stem="images",
    ),
    Artefact(
        __name__,
        "Ours: latent models of two rooms that plan, kept alive by six terms",
        order=154,
        engine="serial",
        uses=("device",),
        called="collapse-worldmodel",
        stem="worldmodel",
    ),
)
