"""The version, alone, so that a build reads it without importing torch."""

__version__ = "0.4.0"
