"""Benchmarks: each file times a fast way against the plain way to the same number."""
