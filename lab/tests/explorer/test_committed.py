"""The wheel of the lab holds the committed records, and the page finds them anywhere."""

import shutil
import subprocess
import sys
import zipfile

import pytest

from lab.tests.explorer.page import RESULTS, content
from novelty_lab import committed
from novelty_lab.explorer.site import build

LAB = RESULTS.parent / "lab"
LARGEST = 20_000_000


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The package as a wheel holds it; from a copy, for a build leaves files in its source."""
    pytest.importorskip("setuptools", reason="needs setuptools")
    root = tmp_path_factory.mktemp("checkout")
    shutil.copytree(LAB / "novelty_lab", root / "lab" / "novelty_lab")
    for name in ("setup.py", "pyproject.toml"):
        shutil.copy(LAB / name, root / "lab")
    (root / "results").symlink_to(RESULTS)
    target = root / "wheel" / "lib"
    command = [sys.executable, "-W", "ignore", "setup.py", "-q", "build_py", "-d", target]
    subprocess.run(command, cwd=root / "lab", check=True)
    return target / "novelty_lab"


@pytest.mark.slow
def test_the_wheel_holds_every_record_in_less_than_20_megabytes(built):
    with zipfile.ZipFile(built / "results.zip") as packed:
        names = set(packed.namelist())
        name = "flows/paper-seed0/record.json"
        assert packed.read(name) == (RESULTS / name).read_bytes()
    records = {p.relative_to(RESULTS).as_posix() for p in RESULTS.rglob("record.json")}
    assert {name for name in names if name.endswith("record.json")} == records
    assert all(name.endswith(("record.json", "arrays.npz")) for name in names)
    assert sum(path.stat().st_size for path in built.rglob("*.*")) < LARGEST


@pytest.mark.slow
def test_the_page_of_a_wheel_has_the_data_of_the_checkout(built, site, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(committed, "_package", lambda: built)
    with committed.results_folder(None) as folder:
        found = build(folder)
    assert not folder.exists()
    data = [name for name in site if name.startswith("data/") and name != "data/ledger.js"]
    assert len(data) > 30
    for name in data:
        assert found[name] == site[name], name
    rows, truth = (content(page, "ledger")["rows"] for page in (found, site))
    plain = [{**row, "figure": ""} for row in truth]  # figures are not shipped
    assert rows == plain
