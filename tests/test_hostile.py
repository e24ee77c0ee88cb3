"""Small files that claim to be large are read or refused in bounded memory, without traceback."""

import json

import numpy as np
import pytest

import learnable_novelty as ln
from learnable_novelty.cli.main import main
from stress import hostile

QUICK = (
    "far cell.xlsx",
    "new keys.jsonl",
    "one wide row.json",
    "names are lists.json",
    "half characters.json",
    "zeros.feather",
    "nulls.arrow",
    "one text.feather",
    "views.feather",
    "old.feather",
    "long text.parquet",
    "zeros.parquet",
    "zeros.npz",
    "boxes.npy",
    "words.csv.gz",
    "short rows.csv",
    "ends.csv",
    "rows.zarr",
    "claims.zarr",
)
REFUSED = ("new keys.jsonl", "zeros.npz", "words.csv.gz", "short rows.csv")
REFUSED += ("zeros.feather", "nulls.arrow", "one text.feather", "views.feather", "old.feather")


@pytest.mark.parametrize("name", QUICK)
def test_a_small_file_takes_little_memory_and_is_read_or_refused(name, tmp_path):
    path = hostile.make(name, tmp_path)
    if path.is_file():
        assert path.stat().st_size < hostile.MOST_FILE
    for read in hostile.READ:
        outcome = hostile.attack(path, read)
        assert outcome["held"], outcome
        assert bool(outcome["refused"]) or name not in REFUSED, outcome


@pytest.mark.slow
@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.parquet", "t.feather"])
def test_tables_of_100_000_columns_are_read(name, tmp_path):
    import pandas as pd

    path, values = tmp_path / name, np.random.default_rng(0).standard_normal((9, 100_000)).round(3)
    frame = pd.DataFrame(values).add_prefix("v")
    mark = "\t" if name.endswith("tsv") else ","
    writers = {".parquet": frame.to_parquet, ".feather": frame.to_feather}
    writers.get(path.suffix, lambda to: frame.to_csv(to, sep=mark, index=False))(path)
    opened = ln.open_columns(path, None, "v3")
    np.testing.assert_array_equal(opened.inputs, np.delete(values, 3, axis=1))


@pytest.mark.parametrize("name", ['size 5" pipe', "a,b", "-x", " x", "3", "it's", "a\u202eb"])
def test_a_command_that_a_scan_prints_can_be_typed(name, tmp_path, capsys):
    import shlex

    x = np.random.default_rng(0).standard_normal(60)
    quoted = '"' + name.replace('"', '""') + '"'
    rows = "".join(f"{a},{np.sin(a)},{a * a}\n" for a in x)
    (tmp_path / "t.csv").write_text(f"first,{quoted},last\n{rows}")
    assert main(["scan", str(tmp_path / "t.csv"), "--json"]) == 0
    steps = [one["next"] for one in json.loads(capsys.readouterr().out)["relations"]]
    assert len(steps) == 3
    for step in steps:
        program, *words = shlex.split(step)
        assert program == "novelty"
        assert main([*words, "--draws", "1", "--null", "9", "--json"]) == 0
        capsys.readouterr()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("size", [1e308, 1e-320])
def test_values_at_the_ends_of_doubles_give_no_warning(size):
    rng = np.random.default_rng(0)
    x, z = rng.choice([-1.0, 0.5, 1.0], 60) * size, rng.standard_normal(60)
    table = {"x": x, "y": x / 2, "z": z}
    assert 0 < ln.score(table, "x", draws=2, null=19).held_out_variance <= 1 or size < 1
    assert np.isfinite(ln.score(table, "z", draws=1, null=19).bits)
    assert len(ln.scan(table).relations) == 3


def test_a_page_shows_marks_of_direction_instead_of_obeying_them(tmp_path):
    x = np.random.default_rng(0).standard_normal(60)
    page = ln.scan({"a\u202eb<i>": x, "c": x**2, "d": x**3}, pairs=True).to_html()
    assert "\u202e" not in page and "<i>" not in page and "a\\u202eb&lt;i&gt;" in page
