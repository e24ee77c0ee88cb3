"""Table 1: agents."""
