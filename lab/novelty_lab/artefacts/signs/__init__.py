"""Ours: the test and the floor of data that is read by chunks, by random signs of blocks."""
