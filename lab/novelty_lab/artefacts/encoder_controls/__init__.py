"""Ours: what a code of images is worth beside the controls that the paper lacks."""
