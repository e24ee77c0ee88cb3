import json

import numpy as np
import pytest

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


def test_a_record_that_cannot_be_written_leaves_nothing_and_keeps_the_old_one(tmp_path):
    make(1.0).save(tmp_path)
    broken = Record("eca", "paper", {"a": 1}, 0, {"x": float("nan")})
    with pytest.raises(ValueError, match="JSON"):
        broken.save(tmp_path)
    assert [p.name for p in (tmp_path / "eca").iterdir()] == ["paper-seed0"]
    assert records.load(tmp_path / "eca" / "paper-seed0").results == {"x": 1.0}


def test_find_lists_records_and_skips_drafts(tmp_path):
    make(seed=1).save(tmp_path)
    make(seed=0).save(tmp_path)
    draft = tmp_path / "eca" / ".paper-seed9-draft"
    draft.mkdir()
    (draft / "record.json").write_text("{}")
    assert [p.name for p in records.find(tmp_path)] == ["paper-seed0", "paper-seed1"]
    assert list(records.find(tmp_path, "mdl")) == []


def test_unreadable_or_foreign_records_are_refused_in_a_sentence(tmp_path):
    with pytest.raises(ValueError, match="expected a record"):
        records.load(tmp_path)
    (tmp_path / "record.json").write_text(json.dumps({"format": 99}))
    with pytest.raises(ValueError, match="format"):
        records.load(tmp_path)


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
