import pytest

from learnable_novelty.engine import Serial, open_engine, run_tasks
from learnable_novelty.records import Journal


def square(value):
    if value < 0:
        raise ValueError("negative")
    return value * value


@pytest.mark.parametrize("name", ["serial", "cores:2"])
def test_tasks_come_back_in_order_on_every_engine(name):
    tasks = {str(k): (k,) for k in (3, 1, 2)}
    with open_engine(name) as executor:
        assert run_tasks(square, tasks, executor) == {"3": 9, "1": 1, "2": 4}


@pytest.mark.parametrize("name", ["gpu", "cores:0", "cores:x", "serial:2", ""])
def test_unknown_engines_are_refused(name):
    with pytest.raises(ValueError, match="engine must be"), open_engine(name):
        pass


def test_finished_tasks_are_not_run_again_after_a_failure(tmp_path):
    journal = Journal(tmp_path / "j", {})
    calls = []

    def counted(value):
        calls.append(value)
        return square(value)

    tasks = {"a": (2,), "b": (-1,)}
    with pytest.raises(ValueError, match="negative"):
        run_tasks(counted, tasks, Serial(), journal=journal)
    assert journal.read() == {"a": 4}
    seen = []
    again = run_tasks(
        counted,
        {"a": (2,), "b": (5,)},
        Serial(),
        journal=journal,
        report=lambda *x: seen.append(x),
    )
    assert again == {"a": 4, "b": 25}
    assert calls == [2, -1, 5]
    assert seen == [(1, 2), (2, 2)]
