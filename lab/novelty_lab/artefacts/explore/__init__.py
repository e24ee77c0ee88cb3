"""Sparse tasks with distractors: which bonus explores, and which is held."""
