"""Ours: the test given z in causal discovery, beside the tests of the packages that run it."""

from novelty_lab.artefact import Artefact

ARTEFACT = Artefact(
    __name__,
    "Ours: causal discovery with the test of dependence, beside the packages' own tests",
    order=195,
)
