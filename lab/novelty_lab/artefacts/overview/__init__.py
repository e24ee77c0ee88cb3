"""Figure 1 with real numbers: surprise and its learnable part; how bits grow."""
