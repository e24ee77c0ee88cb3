"""Ours: learnable novelty beside its rivals, on the same data."""
