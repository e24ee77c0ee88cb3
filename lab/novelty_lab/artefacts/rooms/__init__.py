"""Ours: the noisy television and the dark room of section 2, built and lived in."""
