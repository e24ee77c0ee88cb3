"""The picture that other sites show beside a link to the page: three automata and their bits."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from novelty_lab import records
from novelty_lab.explorer.panel import PAPER_RUN
from novelty_lab.systems.elementary import ElementaryRule

SIZE = (1200, 630)
"""Pixels, as sites that show such pictures ask for."""
RULES = {15: "repeats", 30: "looks random", 110: "complex"}
CELLS, ZOOM = 88, 4
PAPER, CARD, INK, SOFT, ACCENT = "#fbfaf7", "#ffffff", "#1d1f23", "#5a5f69", "#0072B2"


def draw_card(results: Path) -> bytes:
    """Draw the card as a PNG; without the record of the automata it has no numbers."""
    image = Image.new("RGB", SIZE, PAPER)
    draw = ImageDraw.Draw(image)
    draw.text((48, 40), "Learnable novelty", INK, _font(58))
    question = "How much can an observer learn from data? In bits that noise cannot raise."
    draw.text((48, 118), question, SOFT, _font(30))
    known = _denoised(results)
    for place, (rule, look) in enumerate(RULES.items()):
        left, top = 48 + place * (CELLS * ZOOM + 24), 190
        image.paste(_diagram(rule), (left, top))
        bits = f"{known[rule]:.1f} denoised bits" if rule in known else ""
        draw.text((left, top + 70 * ZOOM + 14), f"rule {rule}: {look}", INK, _font(28))
        draw.text((left, top + 70 * ZOOM + 52), bits, ACCENT, _font(34))
    file = io.BytesIO()
    image.save(file, "PNG", optimize=True)
    return file.getvalue()


def _denoised(results: Path) -> dict[int, float]:
    folder = results / "eca" / PAPER_RUN
    if not (folder / "record.json").is_file():
        return {}
    denoised = records.load(folder).results.get("denoised", {})
    return {int(rule): bits for rule, bits in denoised.items()}


def _diagram(rule: int) -> Image.Image:
    """Draw the space-time diagram of a rule from a random row."""
    row = np.random.default_rng(0).integers(0, 2, CELLS, dtype=np.uint8)
    cells = ElementaryRule(rule).run(row, 140)[-70:]
    picture = Image.fromarray((255 * (1 - cells)).astype(np.uint8))
    return picture.resize((CELLS * ZOOM, 70 * ZOOM), Image.Resampling.NEAREST).convert("RGB")


def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)
