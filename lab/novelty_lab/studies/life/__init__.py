"""Life-like automata."""
