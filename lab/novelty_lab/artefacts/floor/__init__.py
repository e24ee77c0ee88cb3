"""Ours: the noisy television and the dark room, measured."""
