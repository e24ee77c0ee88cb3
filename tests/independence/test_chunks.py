"""Many rows, and rows that are read by chunks."""

import numpy as np
import pytest
import torch

import learnable_novelty as ln
from learnable_novelty.errors import UserError
from learnable_novelty.independence import chunks, dependence
from learnable_novelty.independence.features import by_rank


def related(n: int, columns: int = 1, strength: float = 0.3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n + columns)
    x = rng.standard_normal((n, columns))
    return x, strength * np.cos(3 * x[:, :1]) + rng.standard_normal((n, 1))


def cut(x: np.ndarray, y: np.ndarray, size: int) -> list[tuple[np.ndarray, np.ndarray]]:
    return [(x[i : i + size], y[i : i + size]) for i in range(0, len(x), size)]


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> int:
    """Take 400 rows for many."""
    for module in (chunks, dependence):
        monkeypatch.setattr(module, "LARGE", 400)
    return 400


@pytest.mark.parametrize("columns", [1, 3])
def test_chunks_and_memory_have_the_same_answer(few, columns, tmp_path):
    da = pytest.importorskip("dask.array")
    x, y = related(3 * few, columns)
    expected = ln.dependence(x, y, permutations=99)
    assert expected.rearranged == "2,000 rows of y, scaled to all rows"
    assert expected.num_rows == 3 * few
    np.save(tmp_path / "x.npy", x)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    pieces = cut(x, y, 170)
    for many in (
        (pieces,),
        (lambda: iter(pieces),),
        (da.from_array(x, chunks=250), da.from_array(y, chunks=250)),
        (mapped, y),
    ):
        found = ln.dependence(*many, permutations=99)
        assert found.p_value == expected.p_value
        assert found.statistic == pytest.approx(expected.statistic, rel=1e-5)
        assert found.bits == pytest.approx(expected.bits, rel=1e-9)


def test_scaled_permutations_agree_with_permutations_of_all_rows(few):
    # Distributions of the largest statistic; 400 of 2,001 rows are permuted here.
    rng = np.random.default_rng(0)
    x, y = rng.exponential(size=(2001, 2)), rng.standard_normal((2001, 1))
    scaled = np.array(ln.dependence(x, y, permutations=499).null_statistics)
    blocks = np.arange(2001)  # one row each: permutations of rows
    moved = np.array(ln.dependence(x, y, permutations=499, groups=blocks).null_statistics)
    for level in (0.5, 0.9, 0.95):
        assert np.quantile(scaled, level) == pytest.approx(np.quantile(moved, level), rel=0.12)


def test_unrelated_rows_are_called_related_as_often_as_they_may(few):
    p = []
    for seed in range(100):
        rng = np.random.default_rng(seed)
        x, y = rng.standard_t(3, (900, 1)), rng.integers(0, 3, (900, 1))
        p.append(ln.dependence(x, y, permutations=59, seed=seed).p_value)
    assert np.mean(np.array(p) <= 0.05) <= 0.115  # 3 standard errors


def test_a_sample_is_uniform_and_in_order(few):
    rows = torch.arange(5000.0)[:, None]
    x, y, count = chunks.sample_rows(iter([(rows[:3000], rows[:3000]), (rows[3000:],) * 2]), 0)
    assert count == 5000 and len(x) == few and torch.equal(x, y)
    assert bool((x[1:] > x[:-1]).all())
    assert float(x.mean()) == pytest.approx(2500, abs=3 * 5000 / 12**0.5 / few**0.5)


def test_ranks_of_other_rows_are_places_in_their_distribution():
    of = torch.tensor([[3.0], [1.0], [2.0], [2.0]])
    assert by_rank(of).flatten().tolist() == [0.875, 0.125, 0.5, 0.5]
    new = torch.tensor([[0.0], [1.5], [9.0]])
    assert by_rank(new, of).flatten().tolist() == [0.0, 0.25, 1.0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((lambda: [iter(cut(*related(100), 20))]), "read twice"),
        ((lambda: [[np.zeros(5), np.zeros(5), np.zeros(5)]]), "two sides|pairs"),
        ((lambda: [lambda: iter([])]), "got none"),
        ((lambda: [lambda: iter(cut(np.full((50, 1), np.nan), np.zeros((50, 1)), 20))]), "NaN"),
    ],
)
def test_what_cannot_be_read_is_refused(arguments, message):
    with pytest.raises(UserError, match=message):
        dependence.dependence(*arguments())


def test_a_third_variable_needs_memory():
    x, y = related(100)
    with pytest.raises(UserError, match="in memory"):
        ln.dependence(cut(x, y, 20), given=y)
