"""Data on its way to a score: typed tables, arrays in memory, and chunks of what is larger."""

from learnable_novelty.data.batches import OverlappingPartition, overlapping, regrouped
from learnable_novelty.data.choose import CHOOSE, Chosen, choose
from learnable_novelty.data.columns import Columns
from learnable_novelty.data.describe import describe_columns, next_commands, quoted, show_table
from learnable_novelty.data.files import column_names, open_columns, read_columns
from learnable_novelty.data.frames import dense, has_names
from learnable_novelty.data.memory import MemoryRows, as_tensor
from learnable_novelty.data.names import positions
from learnable_novelty.data.open import in_memory, open_source
from learnable_novelty.data.reading import Reading, read_table
from learnable_novelty.data.source import (
    Chunk,
    Layout,
    Partition,
    Samples,
    Source,
    Stream,
    joined,
    read,
    read_all,
    read_partition,
)
from learnable_novelty.data.table import Column, Encoded, Kind, Table, encode

__all__ = [
    "CHOOSE",
    "Chosen",
    "Chunk",
    "Column",
    "Columns",
    "Encoded",
    "Kind",
    "Layout",
    "MemoryRows",
    "OverlappingPartition",
    "Partition",
    "Reading",
    "Samples",
    "Source",
    "Stream",
    "Table",
    "as_tensor",
    "choose",
    "column_names",
    "dense",
    "describe_columns",
    "encode",
    "has_names",
    "in_memory",
    "joined",
    "next_commands",
    "open_columns",
    "open_source",
    "overlapping",
    "positions",
    "quoted",
    "read",
    "read_all",
    "read_columns",
    "read_partition",
    "read_table",
    "regrouped",
    "show_table",
]
