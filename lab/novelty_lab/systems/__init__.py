"""What is observed: systems make data and know no observer."""
