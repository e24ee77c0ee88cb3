"""Appendix G: how the encoder depends on its training and its observer."""
