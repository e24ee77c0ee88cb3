"""The trial on real files, on two of our own; and what its committed outcome says."""

import json

import numpy as np

from stress import files, verdicts


def test_files_are_answered_or_refused_with_a_way_out(tmp_path):
    rng = np.random.default_rng(0)
    folder = tmp_path / "files" / "package"
    folder.mkdir(parents=True)
    x = rng.standard_normal(40)
    rows = "".join(f'"{k + 1}",{a},{np.sin(a)}\n' for k, a in enumerate(x))
    (folder / "good.csv").write_text(f'"","a","b"\n{rows}')
    (folder / "words.csv").write_text("a,b\nu,v\nw,x\ny,z\n")
    (folder / "one.csv").write_text("x\n" + "\n".join(map(str, x)))
    found = {
        path.name: files.attempt(tmp_path / "files", path) for path in sorted(folder.iterdir())
    }
    good, words, one = found["good.csv"], found["words.csv"], found["one.csv"]
    assert (good.outcome, good.index, good.index_used, good.task) == (
        "answered",
        "#0",
        "",
        "samples",
    )
    assert good.p_value == 0.01 and good.shuffled_p_value > 0.01
    assert words.outcome == "refused" and "read one of these as a category" in words.sentence
    assert (one.outcome, one.task) == ("answered", "series")
    counts = files.summary(list(found.values()))
    assert (counts["answered"], counts["refused"], counts["tracebacks"]) == (2, 1, 0)


def test_relations_that_were_taken_away_are_seldom_called():
    kept = json.loads((verdicts.HERE / "verdicts.json").read_text())
    counts = verdicts.summary(kept["of"])
    assert {name: kept[name] for name in counts} == counts and counts["tables"] == 50
    assert max(counts[kind]["share"] for kind in ("shuffled", "duplicated")) <= 0.05
    assert counts["walked"]["share"] <= 0.07 and counts["clustered"]["share"] <= 0.08
    assert counts["untouched"]["with_a_caution"] <= 5
