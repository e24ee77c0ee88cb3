"""Agents trained with Stable-Baselines3 on the tasks of table 1."""
