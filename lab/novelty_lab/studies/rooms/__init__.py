"""The noisy television and the dark room, built."""
