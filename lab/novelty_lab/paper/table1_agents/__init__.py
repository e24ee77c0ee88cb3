"""Table 1: every task under every reward, many seeds, one record per run."""

from novelty_lab.artefact import Artefact

ARTEFACT = Artefact(
    __name__,
    "Table 1: agents paid for learnable novelty, and their rivals",
    order=220,
    takes="2 to 40 minutes for an agent on a core of its own, 33 core-hours for all",
    many_runs=True,
    called="rl-table",
    aliases={"conditions": "rewards"},
)
