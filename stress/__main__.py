"""Run a long trial: real files, damaged files, kills, planted bugs, or streams without pause.

python -m stress attacks [--rounds 2] [--only NAME] [--save]
python -m stress files --fetch DIR | --folder DIR [--workers 4] [--save]
python -m stress fuzz [--cases 100000] [--only READER] [--save]
python -m stress hostile [--only NAME] [--save]
python -m stress kills [--kills 300] [--seed 0] [--save]
python -m stress mutants [--count 100] [--only AREA] [--workers 2] [--again missed|all]
python -m stress oracle [--cases 20000] [--cuda]
python -m stress soak [--seconds 3600] [--interval 10] [--save]
python -m stress verdicts --folder DIR [--tables 50] [--workers 2] [--save]
"""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Sequence

NAMES = (
    "attacks",
    "files",
    "fuzz",
    "hostile",
    "kills",
    "mutants",
    "oracle",
    "saves",
    "soak",
    "verdicts",
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the trial that is named, with the options after it."""
    parser = argparse.ArgumentParser(
        prog="python -m stress",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", choices=NAMES)
    parser.add_argument(
        "options", nargs=argparse.REMAINDER, help="see python -m stress NAME --help"
    )
    chosen = parser.parse_args(arguments)
    return importlib.import_module(f"stress.{chosen.name}").main(chosen.options)


if __name__ == "__main__":
    raise SystemExit(main())
