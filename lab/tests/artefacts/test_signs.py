"""The committed record of the test by signs."""

from pathlib import Path

from novelty_lab import records
from novelty_lab.studies.calibration.signs.experiment import FLOORS, KINDS

RECORD = records.load(Path(__file__).parents[3] / "results" / "signs" / "paper-seed0")


def test_false_positives_are_at_their_level():
    rates = RECORD.results["false_positives"]
    assert tuple(rates) == KINDS
    assert all(0.03 <= held["rate"] <= 0.07 for held in rates.values())


def test_chunks_give_the_bits_of_memory_and_noise_is_at_its_floor():
    floors = RECORD.results["floors"]
    assert tuple(floors) == FLOORS
    assert all(held["difference_in_bits"] < 1e-10 for held in floors.values())
    noise = floors["noise"]
    assert abs(noise["bits"] - noise["signs"]) < 2 * noise["signs_sd"]
