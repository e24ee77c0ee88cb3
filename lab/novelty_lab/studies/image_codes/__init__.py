"""Codes of images, chosen without labels."""
