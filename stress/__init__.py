"""Long trials of what must not break: fuzz, kills and soak."""
