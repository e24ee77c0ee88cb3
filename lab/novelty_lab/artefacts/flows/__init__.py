"""Appendix F: the score of six continuous-time flows."""
