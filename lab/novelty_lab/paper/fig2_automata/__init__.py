"""Figure 2 and appendix B: the elementary automata."""
