"""Appendix F: the score of six continuous-time flows."""

from novelty_lab.artefact import Artefact

ARTEFACT = Artefact(__name__, "Appendix F: continuous-time flows", order=70, takes="seconds")
