"""Table 1: every task under every reward, many seeds, one record per run."""
