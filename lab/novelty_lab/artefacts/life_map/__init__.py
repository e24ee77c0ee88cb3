"""Ours: every life-like automaton on one map of learnable novelty."""
