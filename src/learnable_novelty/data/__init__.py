"""Data on its way to a score: files, tables and arrays become chunks of checked numbers."""
