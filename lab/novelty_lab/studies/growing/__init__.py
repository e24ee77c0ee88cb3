"""Observers that grow."""
