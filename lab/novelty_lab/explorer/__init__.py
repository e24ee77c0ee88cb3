"""The explorer: a page over the committed records, and the small local server of it."""
