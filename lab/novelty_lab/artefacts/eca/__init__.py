"""Figure 2: the 88 elementary automata ranked by epiplexity."""
