"""What is in a field: domains, particles, gliders, walls."""
