"""The observer: from inputs and targets to bits."""
