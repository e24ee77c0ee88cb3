"""Appendix A: the edge of chaos."""
