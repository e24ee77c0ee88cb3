"""Labelled images: MNIST and Fashion-MNIST from their IDX files, and scikit-learn's digits.

The four files of a set, gzipped or not, are read from the folder ``data`` or from the one that the
environment variable LEARNABLE_NOVELTY_DATA names: directly in it, or in a folder of the set's name.
Where neither is given they come from the user's cache, into which they are downloaded once.
Wherever they lie, their content is checked.
"""

from __future__ import annotations

import gzip
import hashlib
import math
import os
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from learnable_novelty.errors import MissingExtraError, UserError, missing_extra, needs_extra
from learnable_novelty.seeds import numpy_generator
from learnable_novelty.storage import accessing

FOLDER_VARIABLE = "LEARNABLE_NOVELTY_DATA"
MOST_BYTES, MOST_AXES = 256 * 2**20, 8
"""Of an IDX file, unpacked; the largest of these sets has 47 MB and three axes."""

# Of the content, not of the archive: two ways to gzip a file are one file.
FILES = (
    "train-images-idx3-ubyte",
    "train-labels-idx1-ubyte",
    "t10k-images-idx3-ubyte",
    "t10k-labels-idx1-ubyte",
)
_SHA256 = {
    "mnist": (
        "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
        "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
        "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
        "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
    ),
    "fashion-mnist": (
        "c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888",
        "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9",
        "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b",
        "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34",
    ),
}
CHECKSUMS: dict[str, dict[str, str]] = {
    name: dict(zip(FILES, sums, strict=True)) for name, sums in _SHA256.items()
}
"""SHA-256 of the four files of each set, unpacked."""
MIRRORS: dict[str, tuple[str, ...]] = {
    "mnist": (
        "https://ossci-datasets.s3.amazonaws.com/mnist/",
        "https://storage.googleapis.com/cvdf-datasets/mnist/",
    ),
    "fashion-mnist": ("http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/",),
}
NAMES = (*CHECKSUMS, "digits")
DIGITS_TRAIN = 1300
"""Digits to train on, of 1,797."""


@dataclass(frozen=True)
class Images:
    """A set of square grey images with labels, in two parts."""

    name: str
    train_images: Tensor
    """(num_train, side, side), float32, from 0 to 1."""
    train_labels: Tensor
    """(num_train,), int64."""
    test_images: Tensor
    test_labels: Tensor

    @property
    def side(self) -> int:
        """Pixels along an edge."""
        return self.train_images.shape[-1]


def load_images(name: str, data: Path | str | None = None) -> Images:
    """Load a set by name.

    Args:
        name: "mnist", "fashion-mnist", or "digits" (scikit-learn's, which needs no file).
        data: the folder with the files; None looks where this module's first lines say.

    Raises:
        ValueError: the files are not there, or one of them is damaged.
    """
    if name == "digits":
        return _digits()
    if name not in CHECKSUMS:
        raise UserError(f"name must be one of {', '.join(NAMES)}, got {name!r}")
    folder = data if data is not None else os.environ.get(FOLDER_VARIABLE)
    if folder is not None and not Path(folder).is_dir():
        source = "data" if data is not None else FOLDER_VARIABLE
        raise UserError(f"{source} must be a folder, {folder} is not one")
    parts: list[Tensor] = []
    for file, checksum in CHECKSUMS[name].items():
        path = _find(name, file, None if folder is None else Path(folder))
        parts.append(read_idx(path, checksum) if path is not None else _fetch(name, file))
    return Images(name, _scale(parts[0]), parts[1].long(), _scale(parts[2]), parts[3].long())


def read_idx(path: Path, checksum: str | None = None) -> Tensor:
    """Read an IDX file of bytes, gzipped or not: two zeros, 8, the number of axes, their sizes.

    Args:
        path: the file.
        checksum: SHA-256 that its content must have.

    Returns:
        A uint8 tensor of the shape that the file says.
    """
    try:
        with (
            accessing(path, "read"),
            gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file,
        ):
            content = file.read(MOST_BYTES + 1)  # a small archive can unpack to any size
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise UserError(f"{path} is damaged: {error}") from None
    if len(content) > MOST_BYTES:
        raise UserError(f"expected at most {MOST_BYTES:,} bytes in {path}, unpacked, got more")
    if len(content) < 4 or content[:3] != b"\x00\x00\x08":
        raise UserError(f"{path} is not an IDX file of bytes: it begins with {content[:4]!r}")
    if content[3] > MOST_AXES:
        raise UserError(f"expected at most {MOST_AXES} axes in {path}, got {content[3]}")
    start = 4 + 4 * content[3]
    shape = [int.from_bytes(content[i : i + 4], "big") for i in range(4, start, 4)]
    if len(content) != start + math.prod(shape):
        raise UserError(
            f"{path} is damaged: expected {start + math.prod(shape)} bytes for the shape "
            f"{tuple(shape)} that it names, got {len(content)}"
        )
    if checksum is not None and hashlib.sha256(content).hexdigest() != checksum:
        raise UserError(f"{path} is damaged, or not the file it is named after: wrong SHA-256")
    return torch.frombuffer(bytearray(content), dtype=torch.uint8)[start:].view(shape)


def _scale(pixels: Tensor) -> Tensor:
    return pixels.to(torch.float32).div_(255)


def _find(name: str, file: str, folder: Path | None) -> Path | None:
    """Find a file in the folder or, without one, in the user's cache."""
    places = [_cache(name)] if folder is None else [folder / name, folder]
    paths = [place / (file + end) for place in places if place for end in ("", ".gz")]
    present = next((path for path in paths if path.is_file()), None)
    if present is None and folder is not None:
        raise UserError(f"found no {file} or {file}.gz of {name} in {folder}; {_help(name)}")
    return present


def _cache(name: str) -> Path | None:
    try:
        import pooch
    except ModuleNotFoundError:
        return None
    return Path(pooch.os_cache("learnable-novelty")) / name


def _fetch(name: str, file: str) -> Tensor:
    """Download a file into the user's cache, from the first mirror whose copy is sound."""
    cache, reasons = _cache(name), []
    if cache is None:
        error = missing_extra(f"a download of {name}", "pooch", "data")
        raise MissingExtraError(f"{error}; or {_help(name)}", name="pooch")
    for mirror in MIRRORS[name]:
        path = cache / f"{file}.gz"
        try:
            download(mirror + path.name, path)
            return read_idx(path, CHECKSUMS[name][file])
        except (OSError, ValueError) as error:
            path.unlink(missing_ok=True)
            reasons.append(f"{mirror}: {type(error).__name__}")
    raise UserError(f"cannot download {name} ({'; '.join(reasons)}); {_help(name)}")


def download(address: str, path: Path) -> None:
    """Download a file, whole or not at all."""
    import pooch

    pooch.get_logger().setLevel("WARNING")
    # The checksum is of the content, and checked when it is read.
    pooch.retrieve(address, known_hash=None, fname=path.name, path=path.parent)


def _help(name: str) -> str:
    files = ", ".join(CHECKSUMS[name])
    return (
        f"put {files}, each with or without .gz, into a folder DIR or DIR/{name}, and pass DIR as "
        f"data, or in the environment variable {FOLDER_VARIABLE}"
    )


def _digits() -> Images:
    """Split scikit-learn's 1,797 digits of 8 x 8 pixels by a fixed permutation."""
    with needs_extra("the set of digits", "data"):
        from sklearn.datasets import load_digits

    pixels, labels = load_digits(return_X_y=True)
    order = numpy_generator(0, "digits").permutation(len(labels))
    images = torch.from_numpy((pixels[order] / 16).astype(np.float32).reshape(-1, 8, 8))
    digits = torch.from_numpy(labels[order].astype(np.int64))
    k = DIGITS_TRAIN
    return Images("digits", images[:k], digits[:k], images[k:], digits[k:])
