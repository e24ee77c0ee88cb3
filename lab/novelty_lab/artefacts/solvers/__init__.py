"""Appendix E: the error and the cost of the ways to one score."""
