"""The measure: bits, floor, excess and a test; see ``score`` and ``scan``."""
