"""Appendix B: how the ranking of the automata depends on the estimator."""
