"""Print a table of finished cells: final return, curve mean and useless share over seeds."""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np


def main() -> None:
    """Read the results.jsonl named on the command line."""
    groups: dict[tuple[str, ...], list[dict[str, float]]] = defaultdict(list)
    for line in Path(sys.argv[1]).read_text().splitlines():
        run = json.loads(line)
        key = (run["task"], run["bonus"], str(run["coefficient"]), run["distractor"])
        groups[(*key, str(run["steps"]))].append(run)
    for key, runs in sorted(groups.items(), key=lambda item: (item[0][3], -_mean(item[1], "mean"))):
        final = ", ".join(f"{run['final']:.2f}" for run in runs)
        print(
            f"{key[3]:8} {_mean(runs, 'final'):.3f} curve {_mean(runs, 'mean'):.3f} useless "
            f"{_mean(runs, 'useless'):.3f} {_mean(runs, 'seconds'):4.0f} s "
            f"(bonus {_mean(runs, 'bonus_seconds'):3.0f}) [{final}] "
            f"{key[0]} {key[1]} x{key[2]} {key[4]}"
        )


def _mean(runs: list[dict[str, float]], key: str) -> float:
    return float(np.mean([run[key] for run in runs]))


if __name__ == "__main__":
    main()
