"""The test of independence beside its rivals."""
