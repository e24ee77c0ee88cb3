"""The paper, figure by figure: every artefact as a run, a record, a figure and its claims."""

__version__ = "0.1.0"
