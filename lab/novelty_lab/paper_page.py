"""The paper page by page: every artefact with its command, its figures, and ours against theirs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from novelty_lab.ledger.claims import Row
from novelty_lab.ledger.ledger import VERDICTS, count
from novelty_lab.ledger.text import ours_text, paper_text

ORDER = ("Figure", "Table", "Appendix", "Ours")
"""How the title of an artefact begins, in the order in which they are shown; others last."""


@dataclass(frozen=True)
class Artefact:
    """A figure, table or appendix that one command makes again."""

    name: str
    title: str
    rows: list[Row]
    """The claims that are judged by its record."""

    @property
    def command(self) -> str:
        """What runs it."""
        return f"novelty run {self.name}"

    @property
    def anchor(self) -> str:
        """Name its section, whatever its title."""
        return f"artefact-{self.name}"


def pages(ledger: Iterable[Row], titles: Mapping[str, str]) -> list[Artefact]:
    """Give every artefact the claims that its record decides.

    Args:
        ledger: Judged claims; one that no listed experiment decides is left out.
        titles: What each experiment shows, by name, such as "Figure 2: the automata ranked".
    """
    held: dict[str, list[Row]] = {name: [] for name in titles}
    for row in ledger:
        experiment = row.command.split()[2] if row.command else ""
        if experiment in held:
            held[experiment].append(row)
    made = [Artefact(name, title, held[name]) for name, title in titles.items()]
    return sorted(made, key=lambda artefact: _place(artefact.title))


def markdown(artefacts: Sequence[Artefact], root: Path) -> str:
    """Write an overview, and a section per artefact; links are relative to the docs folder."""
    columns = ["artefact", "command", "claims", *VERDICTS]
    lines = ["| " + " | ".join(columns) + " |", "| --- | --- |" + " ---: |" * 4]
    for artefact in artefacts:
        numbers = [len(artefact.rows), *count(artefact.rows).values()]
        cells = [f"[{artefact.title}](#{artefact.anchor})", f"`{artefact.command}`"]
        lines.append("| " + " | ".join([*cells, *(str(n or "") for n in numbers)]) + " |")
    return "\n".join([*lines, *(_section(artefact, root) for artefact in artefacts)]) + "\n"


def _section(artefact: Artefact, root: Path) -> str:
    parts = [f"\n## {artefact.title} {{ #{artefact.anchor} }}\n", f"`{artefact.command}`\n"]
    for path in sorted((root / artefact.name).glob("**/*.png")):
        shown = path.relative_to(root.parent).as_posix()
        parts.append(f"![{artefact.title}](../{shown})\n")
    if artefact.rows:
        parts.append("| claim | paper | ours | verdict |\n| --- | --- | --- | --- |")
        for row in artefact.rows:
            cells = [row.claim.statement, paper_text(row.claim), ours_text(row), row.verdict]
            parts.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    else:
        parts.append("The paper states no number here that could be set beside ours.")
    return "\n".join(parts)


def _place(title: str) -> tuple[int, str]:
    kind, _, rest = title.partition(":")[0].partition(" ")
    return ORDER.index(kind) if kind in ORDER else len(ORDER), rest
