"""Where data comes from: memory, files, chunks, and the arrays and frames of other libraries."""
