"""What is in a field: domains, particles, gliders, walls."""

from learnable_novelty.meters.gliders import Gliders, measure_gliders, off_background
from learnable_novelty.meters.solitons import measure_solitons
from learnable_novelty.meters.walls import measure_domains

__all__ = ["Gliders", "measure_domains", "measure_gliders", "measure_solitons", "off_background"]
