"""What is in a field: domains, particles, gliders, walls."""

from novelty_lab.meters.gliders import Gliders, measure_gliders, off_background
from novelty_lab.meters.solitons import measure_solitons
from novelty_lab.meters.walls import measure_domains

__all__ = ["Gliders", "measure_domains", "measure_gliders", "measure_solitons", "off_background"]
