"""An artefact: a figure, a table or an appendix of the paper, or a study of our own.

A folder of ``paper`` or ``studies`` holds an artefact, or several on one subject. Its ``__init__``
makes ``ARTEFACT``, or several ``ARTEFACTS``, and imports nothing heavy, so that all of them can be
listed quickly. The rest are modules of the folder, which are imported when they are used:

- ``experiment.py``: ``PAPER``, ``QUICK`` and ``run(config, seed=..., context=...)``. An artefact
  of many runs also has ``runs(config)``, which yields the ``Run`` objects.
- ``figure.py``: ``tables(record)`` and ``figure(record)``, and ``extra_figures(record)`` if there
  are more. Of many runs: ``tables(records)`` and ``figures(records)``.
- ``claims.py``, if the paper claims numbers: ``SOURCES``, how ours is read from the records.
- ``panel.py``, if the page shows it: ``PANEL``, beside the scripts that draw it.

A further artefact of a folder has a ``stem``, such as "scan": its modules are ``scan.py``,
``scan_figure.py`` and so on.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from novelty_lab.context import RunContext, RunResult
    from novelty_lab.records import Record
    from novelty_lab.report import Table


@dataclass(frozen=True)
class Run:
    """One run of an artefact; it leaves one record."""

    config_name: str
    """Name of the configuration: paper, quick, custom with a digest, or one of many runs."""
    config: Any
    seed: int

    @property
    def name(self) -> str:
        """Directory name of its record."""
        return f"{self.config_name}-seed{self.seed}"


@dataclass(frozen=True)
class Artefact:
    """Name, title and modules of an artefact."""

    package: str
    """Its folder as a package: ``__name__`` of its ``__init__``."""
    title: str
    """What it shows, after the figure, table or appendix that it reproduces."""
    order: int
    """Its place in lists."""
    takes: str = ""
    """How long the paper's configuration takes, and on what; empty where it was never timed."""
    engine: str = "cores"
    """Where its tasks run by default; "serial" for trainings that use all cores by themselves."""
    uses: tuple[Literal["device", "data"], ...] = ()
    """Whether it can run on a GPU, or reads data files."""
    many_runs: bool = False
    """Whether it is many independent runs with a record each, and figures over all of them."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Further command-line options, and the setting that each of them sets."""
    called: str = ""
    """Its name, where that is not the name of the folder."""
    stem: str = ""
    """What its modules are called, where it is not the only artefact of the folder."""

    @property
    def name(self) -> str:
        """Name on the command line and in records."""
        return self.called or self.package.rpartition(".")[2].replace("_", "-")

    def module(self, kind: str) -> ModuleType | None:
        """Import its module of a kind, such as "figure"; None if there is none."""
        name = f"{self.stem}_{kind}" if self.stem else kind
        if kind == "experiment":
            name = self.stem or kind
        spec = importlib.util.find_spec(f"{self.package}.{name}")
        return None if spec is None else importlib.import_module(spec.name)

    @property
    def experiment(self) -> Any:
        """The module with configurations and ``run``."""
        return self.module("experiment")

    @property
    def claims(self) -> Mapping[str, Any]:
        """How our value is read from the records, by the name of the claim."""
        module = self.module("claims")
        return {} if module is None else module.SOURCES

    @property
    def panel(self) -> Any:
        """How its records become data of the page; None if the page does not show it."""
        module = self.module("panel")
        return None if module is None else module.PANEL

    def runs(self, config_name: str, config: Any, seed: int) -> list[Run]:
        """List the runs of a configuration; of many runs each has a seed of its own."""
        if self.many_runs:
            return list(self.experiment.runs(config))
        return [Run(config_name, config, seed)]

    def run(self, config: Any, *, seed: int, context: RunContext) -> RunResult:
        """Compute one run."""
        return self.experiment.run(config, seed=seed, context=context)

    def tables(self, records: Sequence[Record]) -> list[Table]:
        """Return the tables of records."""
        module: Any = self.module("figure")
        if self.many_runs:
            return module.tables(records)
        return [table for record in records for table in module.tables(record)]

    def figures(self, records: Sequence[Record]) -> Iterator[tuple[str, Figure]]:
        """Draw the figures of records, each with its path below the artefact's results folder."""
        module: Any = self.module("figure")
        if self.many_runs:
            for name, figure in module.figures(records):
                yield f"{name}.png", figure
            return
        for record in records:
            yield f"{record.name}/figure.png", module.figure(record)
            if hasattr(module, "extra_figures"):
                for name, figure in module.extra_figures(record):
                    yield f"{record.name}/{name}.png", figure
