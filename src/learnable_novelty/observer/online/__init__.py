"""Streams: one pair at a time, the score after every pair."""
