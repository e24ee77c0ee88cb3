"""Figures and tables from records alone."""

from learnable_novelty.report.base import Table, save_collection, save_figure, tables_of

__all__ = ["Table", "save_collection", "save_figure", "tables_of"]
