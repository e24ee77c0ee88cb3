"""Appendix D: the exact minimizer."""
