"""List the licences of what is installed, and fail where one is unknown or not allowed.

``make licences`` runs it in .venv, and ``make check`` with ``--quiet``. What is allowed may be used
beside code under Apache-2.0.
"""

import importlib.metadata
import re
import sys
from collections import Counter

ALLOWED = re.compile(
    r"\b(MIT|BSD|Apache|ISC|PSF|Python|MPL|Mozilla|HPND|Unlicense|0BSD|zlib|LGPL|Lesser|CC0|"
    r"Public Domain|Historical Permission)\b",
    re.IGNORECASE,
)
OWN = {"learnable-novelty", "novelty-lab"}
KNOWN = {
    "mujoco-core": "Apache-2.0",
    "mujoco-studio": "Apache-2.0",
}
"""Read by hand where the metadata of a package says nothing."""


def licence(distribution: importlib.metadata.Distribution) -> str:
    """Return what a package says of its licence: the expression, a classifier, or the text."""
    held = distribution.metadata
    classifiers = [
        line.rpartition(" :: ")[2]
        for line in held.get_all("Classifier", [])
        if line.startswith("License :: ") and line != "License :: OSI Approved"
    ]
    said = held.get("License-Expression") or ", ".join(classifiers) or held.get("License") or ""
    return said.strip().partition("\n")[0][:60] or KNOWN.get(held["Name"], "")


def main() -> int:
    """Print a line for each package; return 1 if one is not allowed."""
    found = {
        distribution.metadata["Name"]: (distribution.version, licence(distribution))
        for distribution in importlib.metadata.distributions()
        if distribution.metadata["Name"] not in OWN
    }
    refused = []
    for name, (version, said) in sorted(found.items(), key=lambda item: item[0].lower()):
        allowed = ALLOWED.search(said) is not None
        if not allowed or "--quiet" not in sys.argv:
            mark = "" if allowed else "   <-- not allowed"
            print(f"{name:32} {version:16} {said or 'unknown'}{mark}")
        if not allowed:
            refused.append(name)
    counts = Counter(said for _, said in found.values())
    print(f"{len(found)} packages, {len(counts)} wordings, {len(refused)} not allowed")
    return int(bool(refused))


if __name__ == "__main__":
    sys.exit(main())
