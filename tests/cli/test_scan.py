import json

import numpy as np
import pytest

from learnable_novelty.cli.main import main


@pytest.fixture
def data(tmp_path):
    g = np.random.default_rng(0)
    a, b = g.standard_normal((2, 120))
    kind = np.where(a > 0, "up", "down")
    rows = [
        f"{i},{x},{y},{k},{z}" for i, (x, y, k, z) in enumerate(zip(a, b, kind, a * a, strict=True))
    ]
    path = tmp_path / "my data.csv"
    path.write_text("\n".join(["id,a,b,kind,square", *rows]))
    return path


def run(capsys, *arguments):
    code = main([str(a) for a in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_a_file_without_options_is_shown_and_scanned(capsys, data):
    code, out, _ = run(capsys, "score", data)
    assert code == 0
    assert "120 rows, 5 columns" in out
    assert "left out: id" in out
    assert "of 4 columns can be learned from the rest" in out
    assert "next: novelty score '" in out


def test_scan_prints_json_with_the_columns_and_the_relations(capsys, data, tmp_path):
    code, out, _ = run(capsys, "scan", data, "--json", "--plot", tmp_path / "out.png")
    assert code == 0
    found = json.loads(out)
    assert [column["name"] for column in found["columns"]] == ["id", "a", "b", "kind", "square"]
    assert {one["target"] for one in found["relations"]} == {"a", "b", "kind", "square"}
    assert not next(one for one in found["relations"] if one["target"] == "b")["found"]
    assert (tmp_path / "out.png").stat().st_size > 10_000


def test_pairs_are_scanned_into_a_page(capsys, data, tmp_path):
    code, out, _ = run(capsys, "scan", data, "--pairs", "--plot", tmp_path / "out.html")
    assert code == 0
    assert "a -> square" in out
    assert "A row tells about a column" in (tmp_path / "out.html").read_text()


def test_a_file_of_one_column_is_shown_with_what_to_do_next(capsys, tmp_path):
    path = tmp_path / "one.csv"
    path.write_text("\n".join(["v", *map(str, np.random.default_rng(0).standard_normal(90))]))
    code, out, _ = run(capsys, "score", path)
    assert code == 0 and "--window 1" in out
    code, out, _ = run(
        capsys, "score", path, "--window", "auto", "--history", "auto", "--draws", 1, "--null", 19
    )
    assert code == 0
    assert "How far ahead it can be learned" in out
    code, out, _ = run(capsys, "score", path, "--window", "auto", "--draws", 1, "--json")
    assert code == 0 and json.loads(out)["horizon"]["leads"][0]["lead"] == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["scan", "DATA", "--plot", "out.gif"], "--plot takes"),
        (["scan", "DATA", "--plot", "nowhere/out.html"], "existing folder"),
        (["scan", "DATA", "--seed", "-1"], "--seed"),
        (["scan", "missing.csv"], "missing.csv"),
        (["compare", "DATA", "--inputs", "a", "--window", "auto"], "compare takes numbers"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(capsys, data, arguments, said):
    code, _, err = run(capsys, *(data if word == "DATA" else word for word in arguments))
    assert code == 2
    assert said in err and err.count("\n") == 1
