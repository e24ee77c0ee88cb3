"""Other people's measures of how much there is to learn in the same data."""
