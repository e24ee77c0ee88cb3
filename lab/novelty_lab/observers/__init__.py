"""Special observers of the lab: many at once, of binary tori, exact readouts, the edge of chaos."""
