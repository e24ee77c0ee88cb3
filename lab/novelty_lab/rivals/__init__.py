"""Bonuses of others, to compare with. Each is one file of this folder, found by its ``RIVAL``."""
