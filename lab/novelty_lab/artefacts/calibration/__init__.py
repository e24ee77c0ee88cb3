"""Ours: does the measure keep its word? False positives, and the excess of noise."""
