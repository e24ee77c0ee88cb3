"""Appendix D, second half: both readouts along the training of the neural automaton."""
