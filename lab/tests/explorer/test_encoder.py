"""The encoder's map: every mark shows the image that it stands for."""

import base64
import io
import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from lab.tests.explorer.page import RESULTS, content, open_panel, wait_for
from novelty_lab import records
from novelty_lab.explorer.packing import SHEET_COLUMNS, sprite_sheet
from novelty_lab.systems.images import CHECKSUMS, FOLDER_VARIABLE, read_idx


@pytest.fixture(scope="module")
def arrays():
    return records.load(RESULTS / "encoder" / "paper-seed0").arrays


def png_of(sheet):
    kind, _, text = sheet["sheet"].partition(",")
    assert kind == "data:image/png;base64"
    return base64.b64decode(text)


def test_a_sheet_holds_its_images_in_rows():
    columns = SHEET_COLUMNS
    images = np.random.default_rng(0).integers(0, 256, (2 * columns + 3, 5, 7), dtype=np.uint8)
    sheet = np.asarray(Image.open(io.BytesIO(png_of(sprite_sheet(images)))))
    assert sheet.shape == (3 * 5, columns * 7)
    for i in (0, 1, columns - 1, columns, 2 * columns + 2):
        top, left = 5 * (i // columns), 7 * (i % columns)
        np.testing.assert_array_equal(sheet[top : top + 5, left : left + 7], images[i])
    assert not sheet[10:, 21:].any()


def test_a_sheet_is_a_grey_png_of_eight_bits():
    written = png_of(sprite_sheet(np.zeros((1, 3, 2), np.uint8)))
    assert written[:8] == b"\x89PNG\r\n\x1a\n"
    width = 2 * SHEET_COLUMNS
    assert written[16:26] == bytes([0, 0, 0, width, 0, 0, 0, 3, 8, 0])


def test_every_mark_has_an_image(arrays):
    assert arrays["projected_images"].shape == (len(arrays["projected_labels"]), 28, 28)
    assert arrays["projected_images"].dtype == np.uint8


def test_images_are_those_of_the_files(arrays):
    """Each is a test image of its label, as the IDX files have it, and none comes twice."""
    folder = os.environ.get(FOLDER_VARIABLE)
    names = ("t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte")
    paths = [p for n in names for p in Path(folder or "none").glob(f"**/{n}*")]
    if len(paths) < 2:
        pytest.skip(f"needs MNIST under {FOLDER_VARIABLE}")
    checks = (CHECKSUMS["mnist"][name] for name in names)
    images, labels = (read_idx(*both).numpy() for both in zip(paths, checks, strict=True))
    place = {image.tobytes(): i for i, image in enumerate(images)}
    found = [place[image.tobytes()] for image in arrays["projected_images"]]
    assert len(set(found)) == len(found)
    np.testing.assert_array_equal(labels[found], arrays["projected_labels"])


@pytest.mark.parametrize("kind", [pytest.param("address", marks=pytest.mark.slow), "exported"])
def test_the_page_shows_each_image_pixel_for_pixel(browser, request, arrays, kind):
    open_panel(browser, request.getfixturevalue(kind), "encoder")
    wait_for(browser, "LN.encoder.shows()")
    picks = [0, 1, 49, 50, 777, 1999]
    shown = browser.execute_script("return arguments[0].map(LN.encoder.image)", picks)
    np.testing.assert_array_equal(
        np.reshape(shown, (-1, 28, 28)), arrays["projected_images"][picks]
    )


def test_pointing_at_a_mark_shows_its_image(browser, exported, site, arrays):
    open_panel(browser, exported, "encoder")
    wait_for(browser, "LN.encoder.shows()")
    held = content(site, "encoder")["points"]
    points = np.frombuffer(base64.b64decode(held["base64"]), "<f4").reshape(held["shape"])[-1]
    gaps = np.linalg.norm(points[:, None] - points[None], axis=-1) + np.eye(len(points))
    alone = int(gaps.min(1).argmax())
    x, y = points[alone].tolist()
    text, pixels = browser.execute_script(
        "const map = document.querySelector('#panel-encoder canvas'), [x, y] = arguments;"
        "map.scrollIntoView(); const box = map.getBoundingClientRect();"
        "map.dispatchEvent(new PointerEvent('pointermove', {"
        "clientX: box.left + box.width * (0.03 + 0.94 * x),"
        "clientY: box.top + box.height * (0.97 - 0.94 * y)}));"
        "const tip = document.getElementById('tip'), picture = tip.querySelector('canvas');"
        "return [tip.textContent, [...picture.getContext('2d').getImageData(0, 0, 28, 28).data]]",
        x,
        y,
    )
    assert str(arrays["projected_labels"][alone]) in text
    np.testing.assert_array_equal(
        np.reshape(pixels, (28, 28, 4))[..., 0], arrays["projected_images"][alone]
    )


def test_arrow_keys_walk_over_the_map(browser, exported):
    open_panel(browser, exported, "encoder")
    seen = browser.execute_script(
        "const map = document.querySelector('#panel-encoder canvas'); map.focus();"
        "return ['ArrowRight', 'ArrowRight', 'ArrowUp'].map((key) => {"
        "map.dispatchEvent(new KeyboardEvent('keydown', {key}));"
        "return document.getElementById('tip').style.left; })"
    )
    assert len({float(place.removesuffix("px")) for place in seen}) == 3
    assert float(seen[1].removesuffix("px")) > float(seen[0].removesuffix("px"))


def luminance(colour):
    parts = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_lines_and_digits_stand_out_from_the_card(browser, exported, theme):
    """Contrast of at least 3:1 (WCAG 1.4.11), and 4.5:1 for words (1.4.3)."""
    open_panel(browser, exported, "automata")
    marks = [f"digit-{digit}" for digit in range(10)] + ["gold", "accent"]
    words = ["ink", "soft", "good", "bad"]
    colours = browser.execute_script(
        "document.documentElement.dataset.theme = arguments[0];return arguments[1].map(LN.css)",
        theme,
        [*marks, *words, "card"],
    )
    *lights, card = (luminance(colour) for colour in colours)
    contrast = [(max(v, card) + 0.05) / (min(v, card) + 0.05) for v in lights]
    named = dict(zip([*marks, *words], contrast, strict=True))
    assert {name for name, value in named.items() if value < 3} == set()
    assert {name for name in words if named[name] < 4.5} == set()
