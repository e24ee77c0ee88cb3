"""Appendix F: flows."""
