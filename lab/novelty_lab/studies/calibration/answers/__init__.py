"""Ours: what the sentences of a report are worth."""

from novelty_lab.artefact import Artefact

ARTEFACT = Artefact(
    __name__, "Ours: false findings of scans, relations that are found, bits to compare", order=197
)
