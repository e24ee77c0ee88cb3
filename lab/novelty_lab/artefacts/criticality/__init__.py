"""Appendix A.3: a pre-activation normalization holds the reservoir at the edge of chaos."""
