"""The page of a table: whole, safe, small, and readable at two sizes."""

import html
import re

import numpy as np
import pandas as pd
import pytest

import learnable_novelty as ln
from learnable_novelty.cli.main import main
from learnable_novelty.report.page import report_page, smallest_share
from learnable_novelty.report.pictures import picture

TURN = chr(0x202E)


@pytest.fixture(scope="module")
def frame():
    g = np.random.default_rng(0)
    x = g.uniform(-2, 2, 300)
    data = {"x": x, "y": x**2 + 0.1 * g.standard_normal(300), "noise": g.standard_normal(300)}
    data["<b>kind</b>"] = np.where(x > 0, "<i>a</i>", f"b{TURN}")
    data["gap"] = np.where(g.random(300) < 0.8, np.nan, x)
    data["rating"] = g.choice(["good", "bad", "very good"], 300)
    return pd.DataFrame(data)


@pytest.fixture(scope="module")
def page(frame, tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    frame.to_csv(folder / f"t{TURN}.csv", index=False)
    assert main(["report", str(folder / f"t{TURN}.csv"), "-o", str(folder / "r.html")]) == 0
    return folder / "r.html"


def test_the_page_says_what_was_read_found_and_missed(page):
    text = html.unescape(re.sub("<[^>]+>", " ", page.read_text(encoding="utf-8")))
    for said in (
        "300 rows, 6 columns",
        "columns can be learned from the rest",
        "gap: 8",  # percent of values
        "rating has answers in an order, 1 to 3: bad < good < very good (--as rating=category)",
        "noise: a straight line that explains",
        "novelty score",
    ):
        assert said in text
    assert page.stat().st_size < 3_000_000


def test_names_are_escaped_and_nothing_is_fetched(page):
    text = page.read_text(encoding="utf-8")
    assert TURN not in text and "<b>kind" not in text and "<i>a" not in text
    assert "&lt;b&gt;kind&lt;/b&gt;" in text and "\\u202e" in text
    assert not re.search(r"(src|href)=|url\(|@import|<script", text)


def test_a_picture_has_the_line_and_the_fit_inside_its_axes():
    x = np.linspace(0, 1, 50)
    drawn = picture(x, 3 * x + 1, x * 0 + 2.5, ("a", "b"))
    line, fit = re.findall(r'class="(?:line|fit)" points="([^"]+)"', drawn)
    (x0, y0), (x1, y1) = (tuple(map(float, point.split(","))) for point in line.split())
    assert (x0, y0, x1, y1) == pytest.approx((64, 254, 408, 12), abs=0.2)
    assert {point.split(",")[1] for point in fit.split()} == {"133.0"}
    levels = picture(np.array([0.0, 1.0, 1.0]), x[:3], x[:3], ("a", "b"), (("u", "v"), ()))
    assert levels.count('class="fit"') == 2 and 'class="line"' not in levels


def test_the_smallest_share_is_found_nine_times_in_ten():
    share, found = smallest_share(200, 1, 1), 0
    g = np.random.default_rng(0)
    for _ in range(400):
        x, e = g.standard_normal((2, 200))
        y = np.sqrt(share) * x + np.sqrt(1 - share) * e
        found += 200 * np.corrcoef(x, y)[0, 1] ** 2 > 3.84
    assert 0.86 < found / 400 < 0.94


@pytest.mark.parametrize(
    ("data", "out", "told"),
    [
        ("x\n1\n2\n3\n", "r.html", "at least two columns"),
        ("x,y\n1,2\n2,1\n3,4\n", "r.pdf", "-o takes a .html file"),
        ("x,y\n1,2\n2,1\n3,4\n", "no/r.html", "-o needs an existing folder"),
    ],
)
def test_bad_requests_get_one_sentence(tmp_path, capsys, data, out, told):
    (tmp_path / "t.csv").write_text(data)
    assert main(["report", str(tmp_path / "t.csv"), "-o", str(tmp_path / out)]) == 2
    assert told in capsys.readouterr().err and not (tmp_path / out).exists()


@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_fits_a_desk_and_a_phone(browser, page, width):
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        browser.get(page.as_uri())
        root = "document.documentElement"
        assert browser.execute_script(f"return {root}.scrollWidth <= {root}.clientWidth")
        pictures = "return [...document.querySelectorAll('svg')].map(p => p.clientWidth)"
        shown = browser.execute_script(pictures)
        assert shown and all(250 < one <= width for one in shown)
        assert not [one for one in browser.get_log("browser") if one["level"] == "SEVERE"]
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_a_table_of_noise_says_that_nothing_was_found():
    g = np.random.default_rng(0)
    table = ln.read_table({name: g.standard_normal(80) for name in "abc"})
    text = report_page(table, ln.scan(table, draws=1), "noise")
    assert "none of 3 columns" in text and "<svg" not in text
