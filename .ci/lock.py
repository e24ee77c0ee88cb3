"""Write lock.txt: the packages of constraints.txt with the hashes of their files, but for torch.

One file serves Linux, macOS and Windows: a package is listed with the wheels of all of them. torch
is left out, because its builds differ by accelerator; it is installed first and alone. The index
is that of pip; ``--check`` only compares the versions of both files.

    python -m pip install --require-hashes --no-deps -r lock.txt
"""

import re
import sys
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from packaging.utils import canonicalize_name, parse_wheel_filename

ROOT = Path(__file__).parents[1]
LOCK = ROOT / "lock.txt"
APART = {"torch"}
VERSIONS = {"cp311", "cp312", "cp313"}
PLATFORM = re.compile(r"any|manylinux.*_(x86_64|aarch64)|macosx.*_(arm64|universal2)|win_amd64")
FILE = re.compile(r"""[/"']([^/"']+\.(?:whl|tar\.gz|zip))#sha256=([0-9a-f]{64})""")


def pins() -> dict[str, str]:
    """Read the versions by name."""
    found = re.findall(r"^([\w.-]+)==(\S+)$", (ROOT / "constraints.txt").read_text(), re.MULTILINE)
    return {canonicalize_name(name): version for name, version in found if name not in APART}


def locked() -> dict[str, str]:
    """Read the versions that the lock has."""
    return dict(re.findall(r"^([\w.-]+)==(\S+) \\$", LOCK.read_text(), re.MULTILINE))


def hashes(name: str, version: str, index: str) -> list[str]:
    """Return the hashes of the wheels for our platforms, or of the source where there are none."""
    with urllib.request.urlopen(f"{index.rstrip('/')}/{name}/", timeout=60) as answer:
        files = FILE.findall(answer.read().decode())
    wheels, sources = [], []
    for file, digest in files:
        if version not in file:
            continue
        if file.endswith(".whl"):
            _, found, _, tags = parse_wheel_filename(file)
            if str(found) == version and any(map(_is_ours, tags)):
                wheels.append(digest)
        else:
            sources.append(digest)
    if not wheels and not sources:
        raise SystemExit(f"the index has no file of {name} {version} for our platforms")
    return sorted(wheels or sources)


def _is_ours(tag: object) -> bool:
    interpreter, abi, platform = str(tag).split("-")
    python = interpreter in VERSIONS or abi == "abi3" or interpreter.startswith("py")
    return python and PLATFORM.fullmatch(platform) is not None


def main() -> int:
    """Write the lock, or compare it with the constraints."""
    wanted = pins()
    if "--check" in sys.argv:
        held = locked()
        wrong = {name for name in wanted | held if wanted.get(name) != held.get(name)}
        print(f"lock.txt differs in {sorted(wrong)}" if wrong else f"{len(held)} packages locked")
        return int(bool(wrong))
    from pip._internal.models.index import PyPI

    index = sys.argv[1] if len(sys.argv) > 1 else PyPI.simple_url
    with ThreadPoolExecutor(8) as pool:
        found = pool.map(lambda item: hashes(*item, index), wanted.items())
        blocks = [
            " \\\n    ".join([f"{name}=={version}", *(f"--hash=sha256:{one}" for one in digests)])
            for (name, version), digests in zip(wanted.items(), found, strict=True)
        ]
    LOCK.write_text("\n".join(blocks) + "\n", encoding="utf-8")
    print(f"{len(blocks)} packages written to {LOCK.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
