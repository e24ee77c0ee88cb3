"""Our own studies."""
