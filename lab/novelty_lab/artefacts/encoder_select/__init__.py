"""Ours: encoders and observers for images, ranked without a label."""
