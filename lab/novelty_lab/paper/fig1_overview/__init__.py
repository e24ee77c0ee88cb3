"""Figure 1."""
