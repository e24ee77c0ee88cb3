"""The ``novelty`` command: thin, over the package."""
