"""Data that is read by chunks scores as the same data in memory, whatever the chunks."""
# pyright: reportArgumentType=false, reportFunctionMemberAccess=false, reportGeneralTypeIssues=false

import dataclasses
import json
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import learnable_novelty as ln
from benchmarks import larger
from learnable_novelty.cli.main import main
from learnable_novelty.data import files

RNG = np.random.default_rng(0)
X = RNG.standard_normal((700, 3)) * [1, 100, 0.01] + [0, 5, -3]
Y = np.sin(X[:, :2] / [1, 100]) + 0.3 * RNG.standard_normal((700, 2)) + 1000
SERIES = np.sin(0.1 * np.arange(900)) + 0.2 * RNG.standard_normal(900)
FAST = {"draws": 2, "null": 19}


def chunks(*arrays, size=100):
    """Return what makes iterators over chunks of a size, or of given sizes in turn."""
    sizes = [size] if isinstance(size, int) else size

    def make():
        first, number = 0, 0
        while first < len(arrays[0]):
            last = first + sizes[number % len(sizes)]
            parts = tuple(array[first:last] for array in arrays)
            yield parts if len(parts) > 1 else parts[0]
            first, number = last, number + 1

    return make


def values_of(score):
    held = dataclasses.asdict(score)
    # Importance and what a plot shows are of rows in memory only.
    own = {"importance", "relation", "classes", "detectable_share", "line_bits"}
    own |= {"linear_variance", "linear_interval"}
    own |= {"bend_variance", "bend_interval", "bend_p_value"}
    numbers = {k: v for k, v in held.items() if isinstance(v, (float, tuple)) and k not in own}
    return {k: np.array(v) for k, v in numbers.items()}


LOOSE = {
    # Where there is no noise, rounding takes its place.
    "denoised_bits": 1e-3,
    "root_p_value": 1e-2,
}


def assert_same(one, two, atol=1e-10, but=()):
    second = values_of(two)
    for name, value in values_of(one).items():
        if name not in but:
            near = LOOSE.get(name, atol)
            np.testing.assert_allclose(value, second[name], rtol=0, atol=near, err_msg=name)
    for name in ("num_samples", "num_rows", "target_dim", "null_count", "standardization"):
        assert getattr(one, name) == getattr(two, name)


@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize("penalty", [None, 1e-9, 1e-6, 1e-3, 0.1, 10.0])
@pytest.mark.parametrize("noise", [0.0, 0.01])
def test_nearly_collinear_features_agree_to_ten_digits(columns, penalty, noise):
    """Functions of one column are collinear to rounding: a Gram matrix would lose them."""
    x = RNG.standard_normal((1500, columns))
    y = np.sin(2 * x[:, :1]) + noise * RNG.standard_normal((1500, 1))
    knobs = {"draws": 1, "null": 0, "ridge_penalty": penalty}
    whole = ln.score(x, y, **knobs).bits
    for make in (chunks(x, y, size=77), chunks(x[::-1], y[::-1], size=400)):
        assert ln.score(make, **knobs).bits == pytest.approx(whole, rel=1e-10)


REARRANGED = (
    "floor_bits",
    "floor_sd",
    "excess_bits",
    "dependence_p_value",
    "learning",
    "held_out_variance",
    "held_out_interval",
    "denoised_bits",
    "denoised_interval",
    "directions",
    "p_value",
    "null_explained_variance",
)


@pytest.mark.parametrize("size", [1, 7, 333, 5000, (1, 0, 40)])
def test_chunks_of_any_size_score_as_in_memory(size):
    found = ln.score(chunks(X, Y, size=size), **FAST)
    assert_same(ln.score(X, Y, draws=2, null=ln.Null(19, "signs")), found)
    # Of another null only what is rearranged is another; the score and its error are not.
    assert_same(ln.score(X, Y, **FAST), found, but=REARRANGED)


@settings(max_examples=15, deadline=None)
@given(
    sizes=st.lists(st.integers(0, 60), min_size=1, max_size=5).filter(any),
    history=st.integers(1, 4),
    leads=st.lists(st.integers(1, 6), min_size=1, max_size=3),
)
def test_no_pair_of_a_series_is_lost_or_counted_twice_at_a_border(sizes, history, leads):
    series = SERIES[:150]
    task = {"history": history, "leads": leads, "draws": 1, "null": ln.Null(9, "signs")}
    assert_same(ln.score(series, **task), ln.score(chunks(series, size=sizes), **task))


@pytest.mark.parametrize("kind", ["ring", "torus", "sequences"])
def test_lattices_and_sequences_are_read_sample_by_sample(kind):
    shape = {"ring": (60, 1, 12), "torus": (50, 2, 4, 5), "sequences": (30, 9, 2)}[kind]
    x = RNG.standard_normal(shape)
    y = np.roll(x, 1, axis=-1) if kind != "sequences" else np.roll(x, 1, axis=1)
    observer = None
    if kind == "sequences":
        reservoir = ln.reservoirs.Recurrent(2, 12, washout=2)
        observer = ln.Observer(reservoir, ridge_penalty=0.1)
    task = {"draws": 1, "null": ln.Null(9, "signs"), "observer": observer}
    assert_same(ln.score(x, y, **task), ln.score(chunks(x, y, size=(7, 4)), **task))


def test_an_iterator_is_read_once():
    task = {"draws": 2, "standardize_inputs": False, "ridge_penalty": 0.5}
    found = ln.score(chunks(X, Y, size=33)(), null=19, **task)
    whole = ln.score(X, Y, null=ln.Null(19, "signs"), **task)
    # How many samples will come is not known, so the blocks are others.
    assert_same(whole, found, but=REARRANGED)
    assert abs(found.floor_bits - whole.floor_bits) < 5 * max(found.floor_sd, whole.floor_sd)
    series = ln.score(iter(np.split(SERIES, 9)), window=2, null=9, **task)
    assert series.num_samples == 898
    assert_same(
        ln.score(SERIES, window=2, null=ln.Null(9, "signs"), **task),
        series,
        but=REARRANGED,
    )


@pytest.fixture
def stored(tmp_path):
    """The same table as .npy, as a folder of Parquet files and as Zarr."""
    import zarr

    table = np.concatenate([X, Y], axis=1)
    np.save(tmp_path / "t.npy", table)
    frame = pd.DataFrame(table, columns=list("abcde"))
    (tmp_path / "folder").mkdir()
    for number, (first, last) in enumerate(((0, 300), (300, 301), (301, 700))):
        name = tmp_path / "folder" / f"{number}.parquet"
        frame[first:last].to_parquet(name, row_group_size=70, index=False)
    zarr.create_array(str(tmp_path / "t.zarr"), data=table, chunks=(64, 2))
    group = zarr.create_group(str(tmp_path / "g.zarr"))
    group.create_array("x", data=X, chunks=(50, 3))
    group.create_array("y", data=Y, chunks=(70, 1))
    return tmp_path


def test_files_and_folders_score_as_their_content(stored):
    import zarr

    whole = ln.score(X, Y, draws=2, null=ln.Null(19, "signs"))
    mapped = np.load(stored / "t.npy", mmap_mode="r")
    held = zarr.open_group(str(stored / "g.zarr"), mode="r")
    for found in (
        ln.score(ln.open_columns(stored / "t.npy", None, "3,4", chunks=True), **FAST),
        ln.score(mapped[:, :3], mapped[:, 3:], **FAST),
        ln.score(ln.open_columns(stored / "folder", None, ["d", "e"], chunks=True), **FAST),
        ln.score(ln.open_columns(stored / "t.zarr", None, "3,4", chunks=True), **FAST),
        ln.score(held["x"], held["y"], **FAST),
        ln.score(ln.open_columns(stored / "g.zarr", "x", "y", chunks=True), **FAST),
    ):
        assert_same(whole, found)


def test_dask_arrays_and_data_frames_score_as_their_content():
    import dask.array
    import dask.dataframe

    whole = ln.score(X, Y, draws=2, null=ln.Null(19, "signs"))
    x, y = dask.array.from_array(X, chunks=(99, 2)), dask.array.from_array(Y, chunks=(128, 1))
    assert_same(whole, ln.score(x, y, **FAST))
    frame = pd.DataFrame(np.concatenate([X, Y], axis=1), columns=list("abcde"))
    parts = dask.dataframe.from_pandas(frame, npartitions=4)
    assert_same(whole, ln.score(parts[["a", "b", "c"]], parts[["d", "e"]], **FAST))
    with pytest.raises(ValueError, match="as many targets as inputs, 700, got 600"):
        ln.score(x, y[:600], **FAST)
    with pytest.raises(TypeError, match="targets from Dask"):
        ln.score(x, Y, **FAST)


def told(capsys, *arguments):
    assert main(["score", *map(str, arguments), "--json", "--draws", "1", "--null", "9"]) == 0
    return json.loads(capsys.readouterr().out)


FORMATS = ("t.csv", "t.npy", "t.npz", "t.parquet", "folder", "t.zarr")


@pytest.mark.parametrize("name", FORMATS)
def test_the_same_file_has_one_answer_by_the_command_and_in_python(
    stored, name, capsys, monkeypatch
):
    table = np.concatenate([X, Y], axis=1)
    frame = pd.DataFrame(table, columns=list("abcde"))
    frame.to_csv(stored / "t.csv", index=False)
    frame.to_parquet(stored / "t.parquet")
    np.savez(stored / "t.npz", table)
    path, task = stored / name, {"draws": 1, "null": 9}
    loaded = ln.score(frame, ["d", "e"], **task)
    for rows, expected in ((None, loaded), (600, ln.score(chunks(X, Y), **task))):
        if rows is not None:  # the same rule makes both read by chunks
            monkeypatch.setattr(files, "LARGE_ROWS", rows)
        by_command = told(capsys, path, "--targets", "3,4", "--all")
        by_path = ln.score(str(path), "3,4", **task)
        for key, value in by_path.to_dict().items():
            assert by_command[key] == value, key
        assert by_path == ln.score(ln.open_columns(path, None, [3, 4]), **task)
        assert_same(expected, by_path)
        assert by_path.rearranged == expected.rearranged


def refusals(folder):
    """What cannot be scored, and the sentence about it."""
    import zarr

    (folder / "empty").mkdir()
    (folder / "mixed").mkdir()
    pd.DataFrame({"a": [1.0, 2.0], "b": [1.0, 2.0]}).to_parquet(folder / "mixed" / "1.parquet")
    pd.DataFrame({"a": [1.0, 2.0], "c": [1.0, 2.0]}).to_parquet(folder / "mixed" / "2.parquet")
    pd.DataFrame({"a": ["u", "v"], "b": [1.0, 2.0]}).to_parquet(folder / "words.parquet")
    zarr.create_array(str(folder / "cube.zarr"), data=np.zeros((5, 2, 3)))
    zarr.create_array(str(folder / "number.zarr"), data=np.array(1.0))
    return {
        folder / "mixed": ("b", r"one schema in all files.*a double, c double.* after"),
        folder / "empty": ("b", "Parquet files or a Zarr array in the folder"),
        folder / "none.npy": ("b", "does not exist"),
        folder / "words.parquet": ("b", r"none are left \(left out: a \(text of 2 values"),
        folder / "number.zarr": ("0", "rows of data in number.zarr"),
    }


def test_files_that_cannot_be_scored_are_refused_in_a_sentence(tmp_path, capsys):
    for path, (target, sentence) in refusals(tmp_path).items():
        with pytest.raises(ValueError, match=sentence):
            ln.score(path, target)
        assert main(["score", str(path), "--targets", target, "--chunks"]) == 2
        assert capsys.readouterr().err.count("\n") == 1
    with pytest.raises(ValueError, match=r"a series \(time, columns\), got shape \(time, 2, 3\)"):
        ln.score(tmp_path / "cube.zarr", window=2)


@pytest.mark.parametrize(
    ("data", "kind", "sentence"),
    [
        (lambda: iter([]), ValueError, "expected samples, got none"),
        (list, ValueError, "expected samples, got none"),
        (lambda: iter([(X[:0], Y[:0])]), ValueError, "expected samples, got none"),
        (lambda: [(X, Y), (X[:, :2], Y)], ValueError, r"shape, got \(samples, 2\) after \(samp"),
        (lambda: [(X, Y), (X.astype("f4"), Y)], ValueError, "one dtype"),
        (lambda: [(X, Y), (X, Y[:5])], ValueError, "as many targets as inputs in a chunk, 700"),
        (lambda: [(X, Y), (X * np.nan, Y)], ValueError, "inputs must be finite"),
        (lambda: [(X.astype(object).astype(str), Y)], TypeError, "inputs must be numbers"),
        (lambda: [(np.array([["a"], [None]], object), Y[:2])], TypeError, "dtype object"),
        (lambda: [(X[:1], Y[:1])], ValueError, "at least two samples, got 1"),
        (lambda: [X, Y, X], ValueError, "expected targets, or a window"),
        (lambda: [(X, Y, X)], ValueError, "pairs .inputs, targets.; chunk 0 is a tuple of 3"),
    ],
)
def test_chunks_that_cannot_be_scored_are_refused_in_a_sentence(data, kind, sentence):
    with pytest.raises(kind, match=sentence):
        ln.score(lambda: iter(data()), standardize_inputs=False)


def test_memory_does_not_grow_with_the_file(tmp_path):
    larger.write_sparse(tmp_path / "a.npy", 0.26, 1024, stretch=64)
    found = larger.score_file(tmp_path / "a.npy", 1024, draws=1)
    # Ten runs took 303 to 348 MiB; loaded and standardized it would be 512, and once more 768.
    assert found["peak_mib"] - found["start_mib"] < 400
    assert found["rows"] == 34078 and found["p_value"] <= 0.05


def test_core_import_stays_light():
    code = (
        "import sys, learnable_novelty as ln; "
        "ln.score(lambda: iter([([[0.], [1.], [2.], [3.], [4.]], [0., 1, 2, 3, 5])]), draws=1); "
        "print([m for m in ('dask', 'zarr', 'pandas', 'pyarrow') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=dict(os.environ)
    )
    assert done.stdout.strip() == "[]", done.stderr
