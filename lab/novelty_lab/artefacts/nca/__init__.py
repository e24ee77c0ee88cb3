"""Figure 3 and appendix G: a neural automaton climbs its own learnable novelty."""
