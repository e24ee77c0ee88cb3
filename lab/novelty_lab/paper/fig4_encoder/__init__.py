"""Figure 4: the encoder of images."""
