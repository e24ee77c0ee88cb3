"""Image sets: read exactly, refused when damaged, never fetched here."""

from __future__ import annotations

import gzip
import hashlib
import os
import struct
from pathlib import Path

import numpy as np
import pytest
import torch

from novelty_lab.systems import images
from novelty_lab.systems.images import CHECKSUMS, load_images

BESIDE = Path(__file__).parents[2] / ".." / "shared" / "data"
MNIST = Path(os.environ.get("LEARNABLE_NOVELTY_DATA", BESIDE))


def idx(values: np.ndarray) -> bytes:
    header = bytes([0, 0, 8, values.ndim]) + struct.pack(f">{values.ndim}I", *values.shape)
    return header + values.astype(np.uint8).tobytes()


@pytest.fixture
def contents(monkeypatch):
    """Four small files under the names of MNIST, and their checksums."""
    rng = np.random.default_rng(0)
    shapes = [(7, 4, 4), (7,), (3, 4, 4), (3,)]
    arrays = [rng.integers(0, 256 if len(s) == 3 else 10, s) for s in shapes]
    held = {name: idx(a) for name, a in zip(CHECKSUMS["mnist"], arrays, strict=True)}
    sums = {name: hashlib.sha256(content).hexdigest() for name, content in held.items()}
    monkeypatch.setitem(CHECKSUMS, "mnist", sums)
    monkeypatch.delenv(images.FOLDER_VARIABLE, raising=False)
    return held, arrays


@pytest.fixture(autouse=True)
def no_network(monkeypatch):
    def refuse(address, path):
        raise AssertionError(f"a test asked for {address}")

    monkeypatch.setattr(images, "download", refuse)


@pytest.fixture
def cache(monkeypatch, tmp_path):
    monkeypatch.setattr(images, "_cache", lambda name: tmp_path / "cache" / name)
    return tmp_path / "cache"


def write(folder, held, zipped):
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in held.items():
        if zipped:
            (folder / f"{name}.gz").write_bytes(gzip.compress(content))
        else:
            (folder / name).write_bytes(content)


def check(found, arrays):
    for images_, array in (
        (found.train_images, arrays[0]),
        (found.test_images, arrays[2]),
    ):
        assert images_.dtype == torch.float32
        np.testing.assert_allclose(images_.numpy(), array / 255, rtol=1e-6)
    assert found.train_labels.dtype == found.test_labels.dtype == torch.int64
    assert found.train_labels.tolist() == arrays[1].tolist()
    assert found.test_labels.tolist() == arrays[3].tolist()
    assert found.side == 4


@pytest.mark.parametrize("zipped", [True, False])
@pytest.mark.parametrize("nested", [True, False])
def test_files_are_read_from_a_folder_packed_or_not(contents, tmp_path, zipped, nested):
    held, arrays = contents
    write(tmp_path / "mnist" if nested else tmp_path, held, zipped)
    check(load_images("mnist", tmp_path), arrays)
    check(load_images("mnist", str(tmp_path)), arrays)


def test_what_is_not_in_the_cache_is_downloaded_from_the_first_sound_mirror(
    contents, cache, monkeypatch
):
    held, arrays = contents
    asked = []

    def serve(address, path):
        asked.append(address)
        if address.startswith(images.MIRRORS["mnist"][0]):
            raise OSError("no such host")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(held[path.name.removesuffix(".gz")]))

    monkeypatch.setattr(images, "download", serve)
    check(load_images("mnist"), arrays)
    assert len(asked) == 8
    check(load_images("mnist"), arrays)
    assert len(asked) == 8, "the second time everything is in the cache"
