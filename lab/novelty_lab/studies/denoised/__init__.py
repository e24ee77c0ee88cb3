"""Denoised bits."""
