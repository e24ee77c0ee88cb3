"""Other measures of structure on the same data."""
