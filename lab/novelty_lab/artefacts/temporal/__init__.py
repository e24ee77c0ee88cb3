"""Appendix F.2: how the score accumulates along one trajectory of each flow."""
