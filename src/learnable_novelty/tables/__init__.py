"""Any table as typed columns: what kind each one is, what is missing, and the matrix it becomes."""

from learnable_novelty.tables.table import Column, Encoded, Kind, Table, encode

__all__ = ["Column", "Encoded", "Kind", "Table", "encode"]
