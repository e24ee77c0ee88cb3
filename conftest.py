"""Tests run side by side, one thread each: threads of many processes would fight for cores."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # also for the processes that tests start

import pytest
import torch

from benchmarks.chromium import chromium, missing

torch.set_num_threads(1)

pytest_plugins = ["tests.oracle"]

LONG = {
    "test_cluster.py", "test_rl_table.py", "test_runs.py", "test_stops.py", "test_tutorials.py",
    "test_benchmarks.py", "test_browser.py", "test_docs.py", "test_encoder.py",
    "test_streaming.py", "test_start.py", "test_yours.py", "test_links.py",
}  # fmt: skip
"""Files that take half a minute or more, of whatever number of tests."""


SLOW = (
    "test_access.py::test_axe",
    "test_answer.py::test_a_line_of_the_named_share_would_have_been_found",
    "test_benchmarks.py::test_frames_are_timed_in_a_browser",
    "test_benchmarks.py::test_one_thread_gives_the_scores_of_all_threads_and_a_scan_is_timed",
    "test_browser.py::test_every_panel_opens_without_a_complaint[address]",
    "test_browser.py::test_no_panel_is_wider_than_the_window[1280]",
    "test_browser.py::test_nothing_is_small_on_a_projector",
    "test_cautions.py::test_ranks_find_a_relation_under_heavy_tails_and_ignore_units",
    "test_cluster.py::test_killing_a_worker_in_the_middle",
    "test_committed.py::test_the_page_of_a_wheel",
    "test_committed.py::test_the_wheel_holds",
    "test_encoder.py::test_the_page_shows_each_image_pixel_for_pixel[address]",
    "test_growing.py::test_a_quick_run_has_every_table_and_a_figure",
    "test_life.py::test_served_it_opens_without_a_complaint_at_every_width",
    "test_lightning.py::test_two_ranks",
    "test_online.py::test_ten_thousand_steps_equal_the_batch_score[numpy-0.03]",
    "test_online.py::test_ten_thousand_steps_equal_the_batch_score[numpy-3.0]",
    "test_policy.py::test_a_small_file_that_claims_much_takes_no_memory",
    "test_rl_statistics.py::test_intervals_cover_the_truth",
    "test_rl_table.py::test_killed_it_ends_with_the_same_records[cores",
    "test_runs.py::test_quick_run_is_saved_found_again_and_drawn[answers]",
    "test_runs.py::test_quick_run_is_saved_found_again_and_drawn[calibration]",
    "test_runs.py::test_quick_run_is_saved_found_again_and_drawn[compare]",
    "test_runs.py::test_quick_run_is_saved_found_again_and_drawn[encoder-joined]",
    "test_runs.py::test_quick_run_is_saved_found_again_and_drawn[floor]",
    "test_runs.py::test_quick_run_is_saved_found_again_and_drawn[nulls]",
    "test_runs.py::test_quick_run_is_saved_found_again_and_drawn[relations]",
    "test_runs.py::test_quick_run_is_saved_found_again_and_drawn[signs]",
    "test_site.py::test_axe",
    "test_solitons.py::test_noise_does_not_travel[256]",
    "test_start.py::test_every_example_has_its_sentences",
    "test_start.py::test_the_sweep_shows_the_same_for_every_level",
    "test_stops.py::test_sigterm_on_the_default_kind_of_engine_saves_the_step_that_a_worker_is_at[p",
    "test_stream_backends.py::test_both_score_long_streams_alike[readout",
    "test_tutorials.py::test_tutorial_runs_and_prints_what_it_says[large]",
    "test_yours.py::test_rows_can_be_moments_in_time",
)
"""Tests of ten seconds and more that have a shorter relative; ``make test-all`` runs them too."""


def pytest_addoption(parser):
    """Add the option for all tests."""
    parser.addoption("--slow", action="store_true", help="run the slow tests too")


def pytest_collection_modifyitems(config, items):
    """Leave slow tests out unless they are asked for, or named; start long files first."""
    if not config.getoption("--slow") and not any("::" in name for name in config.args):
        slow = [item for item in items if any(name in item.nodeid for name in SLOW)]
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if item not in slow]
    # A process that is left with a long file at the end would keep all others waiting.
    items.sort(key=lambda item: item.path.name not in LONG)


@pytest.fixture(scope="session")
def browser():
    """A real browser; without one the tests that ask for it are skipped, and say so."""
    pytest.importorskip("selenium.webdriver", reason="needs selenium")
    if missing():
        pytest.skip(missing())
    with chromium() as driver:
        yield driver
