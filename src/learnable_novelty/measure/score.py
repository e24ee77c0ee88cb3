"""The measure: how much learnable structure, and is it more than chance?

read -> task (samples, lattices or series) -> columns in common units -> features of every draw ->
roots of blocks of samples -> fit -> bits, jackknife, floor and null -> ``Score``. Data in memory
is one chunk of the same pipeline.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import replace
from typing import Any, Literal

import torch

from learnable_novelty.data.open import open_source
from learnable_novelty.data.source import Source
from learnable_novelty.engine import Parcel, Report, in_order
from learnable_novelty.errors import UserError
from learnable_novelty.measure.answer import explained, in_words, summarize
from learnable_novelty.measure.auto import cut_by_first_half
from learnable_novelty.measure.blocks import gather_blocks, gather_in_one_pass
from learnable_novelty.measure.defaults import DRAWS, VECTOR_WIDTH, draw_observers
from learnable_novelty.measure.draw import draw_from_blocks, draw_from_rows, num_sign_blocks
from learnable_novelty.measure.growth import grow_on_one_part
from learnable_novelty.measure.null import Null, choose_kind, describe
from learnable_novelty.measure.prepare import (
    PreparedRows,
    labels_of,
    prepare_rows,
    split_groups,
)
from learnable_novelty.measure.result import Score
from learnable_novelty.measure.task import Settings, Task, choose_windows
from learnable_novelty.measure.threads import threads_for
from learnable_novelty.observer.evidence import RidgePenalty
from learnable_novelty.observer.growing.growth import Growing
from learnable_novelty.observer.observer import Observer
from learnable_novelty.seeds import Seed, check_seed, split


def score(
    inputs: Any,
    targets: Any = None,
    *,
    window: int | Literal["auto"] | None = None,
    history: int | Literal["auto"] = 1,
    leads: Sequence[int] | None = None,
    observer: Observer | Growing | Literal["growing"] | None = None,
    ridge_penalty: RidgePenalty | None = None,
    resolution: float | None = None,
    draws: int | None = None,
    null: int | str | Null = "auto",
    seed: Seed = 0,
    standardize_inputs: bool = True,
    target_unit: float | Literal["sd"] = "sd",
    rank: bool = False,
    groups: Any = None,
    executor: Executor | None = None,
    progress: Report | None = None,
) -> Score:
    """Measure how much structure a bounded observer learns about targets from inputs.

    Args:
        inputs: (num_samples, columns), a vector, or a data frame; (num_samples, channels, length)
            or (num_samples, channels, height, length) for lattices; with ``window`` or ``leads``
            a series (time, columns). With an observer whose reservoir is ``Recurrent``,
            (num_sequences, time, columns). Or the path of a file, or what ``open_columns``
            returns: a file of at most a million rows and 256 MiB is loaded, a larger one is read
            by chunks. Or a table, from ``read_table`` or of pandas, polars or Arrow:
            see docs/tables.md for what is decided about its columns. Other data that is read by
            chunks: a function or an object that makes iterators over pairs (inputs, targets), or
            over pieces of a series; a NumPy memory map, a Zarr or a Dask array, a Dask data frame.
            See docs/scale.md.
        targets: of as many samples; beside a path or a table, names of target columns: a list, or
            text with commas.
            For a series, None makes its own future the target; another series of the same length
            is predicted from this one.
        window: predict the next ``window`` steps of a series; "auto" takes the farthest step that
            can be predicted in the first half of the series, and scores the second half.
        history: how many past values of a series make an input; "auto" as for ``window``.
        leads: predict these lead times instead of ``window``; 0 is the present of a second series.
        observer: the observer, with the solver "auto"; chosen from the shape and reported by
            default. Its reservoir is the first draw, and it is not changed. Its own
            ``target_unit`` applies on top of the one here. "growing", or a ``Growing``, becomes
            wider, deeper or focused on up to half of the samples where that shortens their
            description, and judges the others; see docs/growing.md and ``Score.profile``.
        ridge_penalty: lambda of the default observer; "evidence" unless given.
        resolution: eta of the default observer; 1 unless given.
        draws: how many reservoirs to average over; 8 by default, and 1 for a table, whose features
            hardly depend on theirs.
        null: how many rearrangements test the relation (0 for none), a kind of rearrangement such
            as "linear", or a ``Null``. By default 999, and 99 for one series. Two series take a
            multiple of twenty shifts, less one, where that many fit. Data that is read by chunks
            takes random signs.
        seed: of reservoirs and rearrangements.
        standardize_inputs: give every input column zero mean and unit deviation, so that units
            do not matter.
        target_unit: what a target is measured in: "sd", its own deviation, or a number in the
            unit of the data (the paper's u_Y).
        rank: replace every input and target column by its normal scores, the normal quantiles of
            its ranks, against heavy tails and outliers.
        groups: a column of the table, or a label for each row, such as its patient or plot: rows
            with the same label depend on each other, and only whole groups are independent. The
            test draws one sign for each group, folds and intervals keep groups whole, and windows
            are cut within groups. Equal rows are groups by themselves.
        executor: where draws, or the partitions of data that is read by chunks, are computed;
            this process by default. Any ``concurrent.futures.Executor`` of other processes, or
            that of a Dask client.
        progress: called with the number of draws done and to do, or of samples where they are
            read by chunks, counting both passes.

    Returns:
        A ``Score``.

    >>> x = 6 * torch.rand(200, generator=torch.Generator().manual_seed(0)) - 3
    >>> result = score(x, x.sin(), draws=2, null=19)
    >>> result.p_value, result.excess_bits > 0
    (0.05, True)
    """
    if isinstance(groups, str) and targets is None and window is None and leads is None:
        raise UserError("expected target columns beside a column of groups, got none")
    inputs, labels = split_groups(inputs, groups)
    past = 1 if history == "auto" else history
    ahead = 1 if window == "auto" else window
    settings = Settings(
        windows=choose_windows(ahead, past, leads),
        draws=DRAWS if draws is None else draws,
        null=Null.of(null),
        seed=split(seed, "score") if isinstance(seed, torch.Generator) else check_seed(seed),
        ridge_penalty=ridge_penalty,
        resolution=resolution,
        observer=_frozen(observer),
        standardize_inputs=standardize_inputs,
        target_unit=target_unit,
        rank=rank,
    )
    source = open_source(inputs, targets, is_series=settings.windows is not None)
    if labels is None and settings.null.kind == "auto" and source.rows is not None:
        labels = None if observer is not None and settings.observer is None else source.groups
    settings = replace(settings, groups=labels_of(source, labels), is_dated=source.is_dated)
    if draws is None and is_table(source, settings):
        settings = replace(settings, draws=1)
    decisions = source.decisions
    if "auto" in (window, history):
        source, settings, chosen = cut_by_first_half(
            source, settings, window, history, score_source
        )
        source = replace(source, decisions=(*decisions, *chosen))
    if observer is None or isinstance(observer, Observer):
        return score_source(source, settings, executor, progress)
    if groups is not None:
        raise UserError("groups are not divided: expected a frozen observer with groups")
    grown = grow_on_one_part(source, settings, observer)
    judged = score_source(grown.source, grown.settings, executor, progress)
    decisions = (*judged.decisions, grown.decision)
    return replace(judged, decisions=decisions, profile=grown.profile, focus=grown.focus)


def _frozen(observer: Any) -> Observer | None:
    """Return where growth starts; any other observer is itself."""
    if isinstance(observer, str):
        if observer != "growing":
            raise UserError(f'observer must be an Observer or "growing", got {observer!r}')
        return None
    return observer.frozen if isinstance(observer, Growing) else observer


def score_source(
    source: Source,
    settings: Settings,
    executor: Executor | None = None,
    progress: Report | None = None,
) -> Score:
    """Score an opened source; rearrangements where all rows are in memory, signs elsewhere."""
    in_memory = source.rows is not None
    if settings.rank and not in_memory:
        raise UserError(
            "ranks need all rows: expected data in memory with rank=True, got data that is read by "
            "chunks"
        )
    one_pass = source.is_read_once
    if one_pass and settings.standardize_inputs:
        raise UserError(
            "expected data that can be read twice, to standardize the inputs first, got an "
            "iterator: pass a function that makes one, or standardize_inputs=False"
        )
    task = Task.of(source.layout(), settings)
    kind = choose_kind(settings.null.kind, task.kind, in_memory=in_memory)
    if settings.groups is not None and (not in_memory or settings.null.kind != "auto"):
        raise UserError(
            "groups are tested by a random sign of each: expected data in memory and no kind of "
            f"null, got null={kind!r}"
        )
    null = replace(settings.null, kind=kind)
    report = progress or _silent
    if source.rows is not None:
        with threads_for(source.rows.inputs.numel() * VECTOR_WIDTH):
            data = prepare_rows(source.rows, task, null, settings, source.input_places)
            return _score_rows(data, source, executor, report)
    if one_pass:
        blocks = gather_in_one_pass(source, task, settings, report)
    else:
        blocks = gather_blocks(source, task, settings, executor, report)
    tasks = (
        (drawn, [block[k] for block in blocks.roots], blocks.num_samples, null.drawn, settings)
        for k, drawn in enumerate(blocks.observers)
    )
    draws = list(in_order(executor, draw_from_blocks, tasks))
    about = describe(kind, blocks.num_samples, len(blocks.roots), 1, null.drawn)
    units = len(blocks.roots)
    result = summarize(draws, blocks.observers[0], settings, blocks.num_samples, about, units)
    own = list(source.input_places or ())
    subject, target = in_words(task.kind, result.target_dim, source.target_names, own)
    return replace(result, subject=subject, target_text=target, decisions=source.decisions)


def _score_rows(
    data: PreparedRows, source: Source, executor: Executor | None, report: Report
) -> Score:
    """Score rows in memory, draw by draw."""
    settings, samples = data.settings, data.num_samples
    null = replace(settings.null, kind=data.null.kind)  # as asked for, also where it is refused
    table = data.inputs if is_table(source, settings) else None
    observers = draw_observers(settings, tuple(data.inputs.shape), table)
    parcel = Parcel(data)
    report(0, settings.draws)
    draws = []
    for draw in in_order(executor, draw_from_rows, ((one, parcel) for one in observers)):
        draws.append(draw)
        report(len(draws), settings.draws)
    # Signs are drawn for blocks, in memory as by chunks, and blocks are what is predicted then.
    blocks, units = num_sign_blocks(samples), data.units
    if null.kind == "signs":
        units = blocks
    elif not isinstance(units, int):
        blocks = int(units.max()) + 1
    about = describe(null.kind, samples, blocks, data.spacing, null.drawn)
    result = summarize(draws, observers[0], settings, samples, about, units)
    decisions = (*source.decisions, *data.decisions)
    result = replace(
        result,
        cautions=tuple(data.cautions),
        refusal=data.refusal,
        decisions=decisions,
        tested_by=data.tested_by,
    )
    if data.refusal is not None and null.kind == "shifts":
        # What chance does to such series is not known, so neither is what it could have made.
        unknown = {"denoised_bits": math.nan, "directions": math.nan, "root_p_value": math.nan}
        result = replace(result, **unknown)
    return explained(result, draws, observers[0], data, source)


def is_table(source: Source, settings: Settings) -> bool:
    """Tell whether the default observer is that of a table: rows in memory, with named columns."""
    named = source.rows is not None and source.input_places is not None
    return named and settings.windows is None and settings.observer is None


def _silent(done: int, total: int) -> None:
    """Report nothing."""
