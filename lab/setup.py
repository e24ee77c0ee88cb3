"""Pack the committed records into the wheel, so that ``novelty explore`` works anywhere.

All else is in pyproject.toml. Figures are left out: they are drawn from records, and would take
the wheel beyond 20 MB.
"""

import zipfile
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

RESULTS = Path(__file__).resolve().parent.parent / "results"


class PackRecords(build_py):
    """Build the package, and put ``results.zip`` into it if the records are there."""

    def run(self) -> None:
        super().run()
        if self.editable_mode or not RESULTS.is_dir():
            return
        target = Path(self.build_lib) / "novelty_lab" / "results.zip"
        records = sorted(RESULTS.rglob("record.json"))
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
            for record in records:
                for path in (record, record.with_name("arrays.npz")):
                    if path.is_file():
                        name = path.relative_to(RESULTS).as_posix()
                        # One date for all: the same records give the same wheel.
                        entry = zipfile.ZipInfo(name)
                        entry.compress_type = zipfile.ZIP_DEFLATED
                        packed.writestr(entry, path.read_bytes())


setup(cmdclass={"build_py": PackRecords})
