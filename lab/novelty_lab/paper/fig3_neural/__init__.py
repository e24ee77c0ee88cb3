"""Figure 3: the neural automaton."""
