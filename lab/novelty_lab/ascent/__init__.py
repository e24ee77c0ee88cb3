"""Gradient ascent on the score of what a system makes: steps, checkpoints, interrupts, resume."""
