import numpy as np

from novelty_lab import records
from novelty_lab.records import Journal, Record


def make(value=1.0, seed=0):
    return Record(
        "eca", "paper", {"a": 1}, seed, {"x": value}, {"110": value}, {"h": np.arange(6.0)}
    )


def test_a_record_round_trips_with_its_arrays(tmp_path):
    path = make().save(tmp_path)
    held = records.load(path)
    assert held.results == {"x": 1.0}
    assert held.scores == {"110": 1.0}
    assert np.array_equal(held.arrays["h"], np.arange(6.0))
    assert sorted(p.name for p in path.iterdir()) == ["arrays.npz", "record.json"]


def test_find_lists_records_and_skips_drafts(tmp_path):
    make(seed=1).save(tmp_path)
    make(seed=0).save(tmp_path)
    draft = tmp_path / "eca" / ".paper-seed9-draft"
    draft.mkdir()
    (draft / "record.json").write_text("{}")
    assert [p.name for p in records.find(tmp_path)] == ["paper-seed0", "paper-seed1"]
    assert list(records.find(tmp_path, "mdl")) == []


def test_a_journal_survives_a_line_cut_off_in_the_middle(tmp_path):
    path = tmp_path / "x.partial"
    journal = Journal(path, {"a": 1})
    journal.add("one", [1.0])
    with path.open("a") as file:
        file.write('{"digest": "abc", "task": "tw')
    journal.add("three", 3)
    assert journal.read() == {"one": [1.0], "three": 3}
    assert Journal(path, {"a": 2}).read() == {}
    journal.discard()
    assert not path.exists()
