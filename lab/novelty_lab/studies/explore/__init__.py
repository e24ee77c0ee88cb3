"""Sparse mazes with televisions."""
