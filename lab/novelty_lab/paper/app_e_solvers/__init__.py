"""Appendix E: solvers."""
