"""One folder for each artefact of the paper, and for those of our own."""
