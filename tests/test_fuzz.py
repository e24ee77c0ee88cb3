"""Damaged files are read or refused in a sentence; stress/fuzz.json holds a long run."""

import tracemalloc
import zipfile

import numpy as np
import pytest
import torch

import learnable_novelty as ln
from learnable_novelty import storage as _archive
from stress import fuzz


def read_columns(path, inputs=None, targets=None):
    return ln.open_columns(path, inputs, targets, chunks=False)


@pytest.mark.parametrize("name", fuzz.READERS)
def test_damaged_files_are_read_or_refused(name, tmp_path):
    seen = fuzz.attack(name, 40, tmp_path)
    assert seen["cases"] >= 40 and seen["read"] + seen["refused"] == seen["cases"]


def test_an_archive_that_unfolds_is_refused_before_it_does(tmp_path):
    path = tmp_path / "bomb.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x.npy", fuzz._npy(np.zeros(500_000)))
    assert path.stat().st_size < 10_000
    with pytest.raises(ValueError, match=r"unpacks to 4,000,128 bytes, more than 1,000,000"):
        _archive.read_arrays(path, most_bytes=1_000_000)
    assert _archive.read_arrays(path)["x"].shape == (500_000,)


def test_an_array_is_in_memory_once_while_it_is_read(tmp_path):
    path, count = tmp_path / "x.npz", 5_000_000
    np.savez(path, x=np.arange(count, dtype=np.float64))
    tracemalloc.start()
    array = _archive.read_arrays(path)["x"]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert array[-1] == count - 1 and array.flags.writeable
    assert peak < 1.2 * array.nbytes


def test_tensors_that_unpack_to_more_than_their_file_are_refused(tmp_path):
    saved, packed = tmp_path / "saved.pt", tmp_path / "packed.pt"
    torch.save({"w": torch.zeros(100_000)}, saved)
    assert _archive.read_tensors(saved)["w"].shape == (100_000,)
    with zipfile.ZipFile(saved) as source, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as to:
        for member in source.infolist():
            to.writestr(member.filename, source.read(member))
    assert packed.stat().st_size < 10_000
    with pytest.raises(ValueError, match="not a file of tensors"):
        _archive.read_tensors(packed)


def test_a_zip_archive_whose_member_begins_before_the_file_is_refused(tmp_path):
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("t.csv", "a,b\n1,2\n")
    path.write_bytes(path.read_bytes()[34:])
    with pytest.raises(ValueError, match="is damaged: negative seek"):
        ln.read_table(path)


def test_an_array_that_claims_more_than_it_holds_is_refused_before_it_is_allocated(tmp_path):
    header = fuzz._npy(np.zeros(2)).replace(b"(2,), ", b"(9999999999,), ")[:128]
    path = tmp_path / "x.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("x.npy", header + bytes(16))
    with pytest.raises(ValueError, match="damaged: it claims more than it holds"):
        _archive.read_arrays(path)


def test_a_parquet_file_of_too_many_rows_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "x.parquet"
    path.write_bytes(fuzz._parquet(a=[0.0, 2.0] * 500))
    assert read_columns(path, None, None).inputs.shape == (1000, 1)
    monkeypatch.setattr(_archive, "NUMBER_CELLS", 999)
    monkeypatch.setattr(_archive, "CELLS_PER_BYTE", 0)
    with pytest.raises(ValueError, match="claims 1,000 rows of 1 columns"):
        read_columns(path, None, None)


class Bomb:
    def __reduce__(self):
        return pytest.fail, ("unpickled",)


@pytest.mark.parametrize("suffix", [".npz", ".npy"])
def test_pickles_in_arrays_are_never_loaded(tmp_path, suffix):
    path = tmp_path / f"x{suffix}"
    array = np.array([Bomb()])
    np.savez(path, x=array) if suffix == ".npz" else np.save(path, array, allow_pickle=True)
    with pytest.raises(ValueError, match="pickled"):
        read_columns(path, None, None)
