"""Figure 4: an encoder trained on its own learnable novelty, without labels."""
