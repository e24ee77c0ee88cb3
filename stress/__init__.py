"""Fuzz, kills and soak: long trials of what must not break."""
