"""The paper page by page: every artefact with its command, its figures, and ours against theirs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from novelty_lab.artefact import Artefact
from novelty_lab.ledger.ledger import VERDICTS, count
from novelty_lab.ledger.paper_claims import Row
from novelty_lab.ledger.text import ours_text, paper_text, verdict_text
from novelty_lab.registry import all_artefacts

KINDS = ("Figure", "Table", "Appendix", "Ours")
"""How the title of an artefact begins, in the order in which they are shown; others last."""


@dataclass(frozen=True)
class Section:
    """An artefact, and the claims that its record decides."""

    artefact: Artefact
    rows: list[Row]

    @property
    def command(self) -> str:
        """What runs it."""
        return f"novelty run {self.artefact.name}"

    @property
    def anchor(self) -> str:
        """Name of its section, whatever its title."""
        return f"artefact-{self.artefact.name}"


def sections(ledger: Iterable[Row]) -> list[Section]:
    """Give every artefact its claims; one that no artefact decides is left out."""
    rows: dict[str, list[Row]] = {name: [] for name in all_artefacts()}
    for row in ledger:
        name = row.command.split()[2] if row.command else ""
        if name in rows:
            rows[name].append(row)
    all_sections = [Section(artefact, rows[name]) for name, artefact in all_artefacts().items()]
    return sorted(all_sections, key=lambda section: _place(section.artefact.title))


def markdown(shown: Sequence[Section], root: Path) -> str:
    """Write an overview, and a section per artefact; links are relative to the docs folder."""
    columns = ["artefact", "command", "claims", *VERDICTS]
    lines = ["| " + " | ".join(columns) + " |", "| --- | --- |" + " ---: |" * 4]
    for section in shown:
        numbers = [len(section.rows), *count(section.rows).values()]
        cells = [f"[{section.artefact.title}](#{section.anchor})", f"`{section.command}`"]
        lines.append("| " + " | ".join([*cells, *(str(n or "") for n in numbers)]) + " |")
    return "\n".join([*lines, *(_text(section, root) for section in shown)]) + "\n"


def _text(section: Section, root: Path) -> str:
    title = section.artefact.title
    lines = [f"\n## {title} {{ #{section.anchor} }}\n", f"`{section.command}`\n"]
    for path in sorted((root / section.artefact.name).glob("**/*.png")):
        lines.append(f"![{title}](../{path.relative_to(root.parent).as_posix()})\n")
    if section.rows:
        lines.append("| claim | paper | ours | verdict |\n| --- | --- | --- | --- |")
        for row in section.rows:
            texts = paper_text(row.claim), ours_text(row), verdict_text(row)
            cells = [row.claim.statement, *texts]
            lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    else:
        lines.append("The paper states no number here that could be set beside ours.")
    return "\n".join(lines)


def _place(title: str) -> tuple[int, str]:
    kind, _, rest = title.partition(":")[0].partition(" ")
    return KINDS.index(kind) if kind in KINDS else len(KINDS), rest
