"""Ours: the observer of tables beside ridge, boosted trees and a forest, on 96 real tables."""

from novelty_lab.artefact import Artefact

ARTEFACT = Artefact(
    __name__,
    "Ours: real tables, beside ridge, boosted trees and a forest",
    order=198,
    takes="an hour on two cores",
)
