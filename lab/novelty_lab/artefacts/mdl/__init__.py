"""Appendix D: the ridge readout against the exact minimizer of the description length."""
