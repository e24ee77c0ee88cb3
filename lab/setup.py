"""Pack the committed records into the wheel, so that ``novelty explore`` works anywhere.

All else is in pyproject.toml. The wheel has to stay below 20 MB: arrays are packed tightly, and
figures are left out, for they are drawn from records.
"""

import io
import zipfile
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

HERE = Path(__file__).resolve().parent
RESULTS = HERE.parent / "results"


class PackRecords(build_py):
    """Build the package, and put ``results.zip`` into it if the records are there."""

    def run(self) -> None:
        super().run()
        if self.editable_mode or not RESULTS.is_dir():
            return
        with zipfile.ZipFile(Path(self.build_lib) / "novelty_lab" / "results.zip", "w") as packed:
            for record in sorted(RESULTS.rglob("record.json")):
                name = record.relative_to(RESULTS).as_posix()
                add(packed, name, record.read_bytes(), zipfile.ZIP_LZMA)
                arrays = record.with_name("arrays.npz")
                if arrays.is_file():
                    path = arrays.relative_to(RESULTS).as_posix()
                    add(packed, path, repacked(arrays), zipfile.ZIP_STORED)


def repacked(arrays: Path) -> bytes:
    """Return an .npz file with the same arrays, packed more tightly; NumPy reads both."""
    file = io.BytesIO()
    with zipfile.ZipFile(arrays) as loose, zipfile.ZipFile(file, "w") as tight:
        for name in loose.namelist():
            add(tight, name, loose.read(name), zipfile.ZIP_LZMA)
    return file.getvalue()


def add(packed: zipfile.ZipFile, name: str, content: bytes, method: int) -> None:
    """Add a file with one date for all: the same records give the same wheel."""
    packed.writestr(zipfile.ZipInfo(name), content, method)


setup(cmdclass={"build_py": PackRecords})
