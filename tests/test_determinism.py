"""The same seed gives the same bits; docs/reliability.md says where only nearly so."""

import pytest
import torch

import learnable_novelty as ln
from learnable_novelty.engine import open_engine
from learnable_novelty.observer.summary import Moments, merge
from novelty_lab.tasks import run_tasks


def data(n=2000, dtype=torch.float64):
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(n, 3, generator=generator, dtype=torch.float64)
    y = torch.cat([x.sin(), torch.randn(n, 5, generator=generator, dtype=torch.float64)], 1)
    return x.to(dtype), y.to(dtype)


@pytest.fixture
def threads():
    held = torch.get_num_threads()
    yield torch.set_num_threads
    torch.set_num_threads(held)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_the_same_call_gives_the_same_bits(dtype):
    pair = data(dtype=dtype)
    first, second = (ln.score(*pair, draws=2, null=9, seed=3) for _ in range(2))
    assert first == second
    assert ln.score(*pair, draws=2, null=9, seed=4).bits != first.bits


@pytest.mark.parametrize("penalty", [0.1, "evidence"])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_threads_move_the_last_digits_only(threads, dtype, penalty):
    found = []
    for number in (1, 2):
        threads(number)
        found.append(ln.score(*data(500, dtype), draws=1, null=4, ridge_penalty=penalty))
    for other in found[1:]:
        assert other.bits == pytest.approx(found[0].bits, rel=1e-12)
        assert other.floor_bits == pytest.approx(found[0].floor_bits, rel=1e-12)
        assert other.p_value == found[0].p_value


def bits_of(seed):
    return ln.score(*data(200), draws=1, null=0, seed=seed).bits


def test_workers_give_the_bits_of_one_process():
    tasks = {str(seed): (seed,) for seed in range(4)}
    found = []
    for engine in ("serial", "cores:2"):
        with open_engine(engine) as executor:
            found.append(run_tasks(bits_of, tasks, executor))
    assert found[0] == found[1]


@pytest.mark.parametrize("size", [1, 17, 500, 1999])
def test_chunks_move_the_last_digits_only(size):
    x, y = data()
    observer = ln.Observer(ln.reservoirs.MLP(3, 16, 3), ridge_penalty=0.1)
    h = observer.reservoir(x)
    whole = float(observer.bits(Moments.of(h, y)))
    parts = list(map(Moments.of, h.split(size), y.split(size)))
    order = torch.randperm(len(parts), generator=torch.Generator().manual_seed(1)).tolist()
    for held in (parts, [parts[i] for i in order]):
        assert float(observer.bits(merge(held))) == pytest.approx(whole, rel=1e-12)
