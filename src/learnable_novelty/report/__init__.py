"""A table as one page for people: what was read, and what can be learned in it."""
