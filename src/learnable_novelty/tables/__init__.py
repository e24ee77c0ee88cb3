"""Any table as typed columns: what kind each one is, what is missing, and the matrix it becomes."""

from learnable_novelty.tables.choose import CHOOSE, Chosen, choose
from learnable_novelty.tables.describe import describe_columns, next_commands, show_table
from learnable_novelty.tables.frames import has_names
from learnable_novelty.tables.read import Reading, read_table
from learnable_novelty.tables.table import Column, Encoded, Kind, Table, encode

__all__ = [
    "CHOOSE",
    "Chosen",
    "Column",
    "Encoded",
    "Kind",
    "Reading",
    "Table",
    "choose",
    "describe_columns",
    "encode",
    "has_names",
    "next_commands",
    "read_table",
    "show_table",
]
