"""The right numbers in the right cells, and figures that draw whatever has been run."""

import numpy as np
import pytest

from novelty_lab.paper.table1_agents.figure import NOT_RUN, tables
from novelty_lab.paper.table1_agents.looks import ADDED_CONDITIONS, NAMES
from novelty_lab.paper.table1_agents.paper import PAPER, PAPER_CONDITIONS
from novelty_lab.paper.table1_agents.pictures import figure, summary_figure
from novelty_lab.paper.table1_agents.runs import TASKS, collect
from novelty_lab.records import Record
from novelty_lab.style import in_style


def a_run(task, reward, seed, value, *, random=0.0, config=None, curve=None):
    results = {
        "return": value,
        "return_sd": 1.0,
        "returns": [value],
        "curve": [[8192, random], [16384, value]] if curve is None else curve,
    }
    if reward != "task":
        results |= {"random_return": random, "weight": 0.5, "random_bonus": 0.2 * random}
    configuration = {"task": task, "reward": reward}
    return Record("rl-table", config or f"{task}-{reward}", configuration, seed, results)


def some_runs(task, reward, values, **more):
    return [a_run(task, reward, seed, value, **more) for seed, value in enumerate(values)]


def row(table, name):
    (found,) = [row for row in table.rows if row[0] == name]
    return dict(zip(table.columns, found, strict=True))


def titled(start, found):
    (table,) = [table for table in tables(found) if table.title.startswith(start)]
    return table


def test_cells_hold_mean_sd_and_seeds_beside_the_papers():
    found = [
        *some_runs("Hopper", "task", [1000.0, 1200.0, 1400.0, 1600.0, 1800.0]),
        *some_runs("Hopper", "task+epiplexity", [2000.0, 2000.0, 2000.0, 2000.0, 1500.0]),
        *some_runs("Hopper", "task+magnitude", [1401.0, 1403.0]),
        *some_runs("Acrobot", "task+epiplexity", [-80.25]),
    ]
    table = tables(found)[0]
    assert table.columns == ["task", *(NAMES[condition] for condition in PAPER_CONDITIONS)]
    hopper = table.rows.index(next(cells for cells in table.rows if cells[0] == "Hopper"))
    assert table.rows[hopper : hopper + 2] == [
        ["Hopper", "1400 ± 316 (5)", NOT_RUN, "1402 ± 1 (2) △", "1900 ± 224 (5) ▲"],
        ["  paper", "1879 ± 325", "1006 ± 21", "516 ± 128", "2192 ± 270 ▲"],
    ]
    acrobot = row(table, "Acrobot")
    assert acrobot["task only"] == NOT_RUN
    assert acrobot["task + epiplexity"] == "-80.2 (1)"
    assert [cells[0] for cells in table.rows[::2]] == list(TASKS)


def test_only_runs_at_the_papers_settings_count():
    found = [
        a_run("Hopper", "task", 0, 10.0),
        a_run("Hopper", "task", 1, 99.0, config="Hopper-task-custom-0123abcd"),
        Record("eca", "paper", {}, 0, {}),
    ]
    runs = collect(found)
    assert runs.returns("Hopper", "task").tolist() == [10.0]
    assert list(runs.cells) == [("Hopper", "task")]


def test_a_run_is_not_counted_twice():
    with pytest.raises(ValueError, match="one run of Hopper-task per seed"):
        collect([a_run("Hopper", "task", 0, 10.0), a_run("Hopper", "task", 0, 10.0)])


def test_who_learns_sooner_is_told_by_the_mean_of_the_curves():
    late, soon = [[0, 0.0], [100, 0.0], [200, 50.0]], [[0, 0.0], [100, 50.0], [200, 50.0]]
    found = [
        *some_runs("Hopper", "task", [50.0, 50.0], curve=late),
        *some_runs("Hopper", "task+epiplexity", [10.0, 10.0], curve=soon),
        *some_runs("Hopper", "epiplexity", [90.0, 90.0], curve=[[0, 0.0], [200, 0.0]]),
        a_run("Hopper", "task+rnd", 0, 50.0, curve=late),
        *some_runs("Swimmer", "task+rnd", [50.0, 50.0], curve=late),  # nothing to hold it against
    ]
    runs = collect(found)
    assert runs.practice("Hopper", "task") == pytest.approx([12.5, 12.5])
    assert runs.practice("Hopper", "task+epiplexity") == pytest.approx([37.5, 37.5])
    table = titled("Over the whole of training", found)
    assert table.rows == [
        ["epiplexity only", "1", "0.00 [0.00, 0.00]", "", "Hopper"],
        ["task + epiplexity", "1", "1.00 [1.00, 1.00]", "Hopper", ""],
        ["task + RND", "1", "0.50", "", ""],
    ]


def test_all_tasks_together_in_units_of_random_and_task_only():
    found = [
        # Units: 0 is -500, 1 is -100.
        *some_runs("Acrobot", "task", [-50.0, -150.0]),
        *some_runs("Acrobot", "task+epiplexity", [100.0, 100.0], random=-500.0),
        # Units: 0 is 10, 1 is 20.
        *some_runs("Hopper", "task", [20.0] * 5),
        *some_runs("Hopper", "task+epiplexity", [25.0] * 5, random=10.0),
    ]
    table = titled("All tasks", found)
    ours = row(table, "task + epiplexity")
    assert (ours["tasks"], ours["runs"], ours["tasks with fewer than 5 seeds"]) == ("2", "7", "1")
    # Half of the weight at each of 1.5 and 1.5.
    assert ours["IQM"] == "1.50 [1.50, 1.50]"
    assert ours["P(better than task only)"] == "1.00 [1.00, 1.00]"
    assert ours["tasks above task only in the mean"] == "2 of 2 (paper: 9 of 10)"
    assert row(table, "task only")["IQM"].startswith("1.00 [")
    assert "Left out" not in table.title


def test_a_random_policys_return_is_the_mean_over_seeds_not_over_runs():
    found = [
        a_run("Hopper", "task+epiplexity", 0, 5.0, random=10.0),
        a_run("Hopper", "task+magnitude", 0, 5.0, random=10.0),
        a_run("Hopper", "task+epiplexity", 1, 5.0, random=40.0),
    ]
    assert collect(found).random_return("Hopper") == pytest.approx(25.0)
    assert collect(found).random_return("Acrobot") is None


def everything(seeds):
    generator = np.random.default_rng(0)
    found: list[Record] = []
    for place, task in enumerate(TASKS):
        rewards = (*PAPER_CONDITIONS, *ADDED_CONDITIONS) if place < 3 else PAPER_CONDITIONS
        for reward in rewards:
            values = generator.normal(PAPER[task]["task"][0], 30.0, size=seeds).tolist()
            found += some_runs(task, reward, values, random=-2000.0)
    return found


# The fourth has a curve that starts late, and one that never does.
DRAWN = {
    "nothing": [],
    "one run": [a_run("Hopper", "task", 0, 10.0)],
    "one seed": everything(1),
    "uneven": [
        *everything(3)[:-1],
        a_run("Pendulum", "task+epiplexity", 8, -900.0, curve=[[16384, -900.0]]),
        a_run("Acrobot", "task", 9, -90.0, curve=[]),
    ],
}


@pytest.mark.parametrize("draw", [figure, summary_figure])
@pytest.mark.parametrize("name", DRAWN)
def test_figures_draw_what_there_is(draw, name):
    with in_style():
        fig = draw(DRAWN[name])
        fig.draw_without_rendering()
    titles = [axes.get_title(loc="left") for axes in fig.axes]
    assert titles[: len(TASKS)] == list(TASKS)
    for legend in (legend for part in (fig, *fig.subfigs) for legend in part.legends):
        drawn = legend.get_window_extent()
        assert fig.bbox.x0 <= drawn.x0 < drawn.x1 <= fig.bbox.x1
