"""Settings: listed with what they mean, changed by name, checked by their types."""

from dataclasses import dataclass, field
from typing import Literal

import pytest

from learnable_novelty.cli.main import main
from learnable_novelty.errors import UserError
from novelty_lab.registry import all_artefacts
from novelty_lab.runner import configure
from novelty_lab.settings import Settings, changed, choice, list_settings, parse


@dataclass(frozen=True)
class Inner(Settings):
    """Settings within others."""

    length: int = 3
    """Steps."""


@dataclass(frozen=True)
class Base(Settings):
    """Settings that others begin with."""

    rate: float = 0.5
    """How fast."""


@dataclass(frozen=True)
class Config(Base):
    """One of each type."""

    seeds: tuple[int, ...] = (0, 1)
    """Which seeds."""
    axes: tuple[str, ...] = choice(("depth", "width", "both, turned"))
    """Which
    axes."""
    kind: Literal["a", "b"] = "a"
    flag: bool = False
    limit: float | None = None
    shapes: tuple[tuple[int, int], ...] = ((1, 2),)
    inner: Inner = field(default_factory=Inner)
    more: tuple[Inner, ...] = ()


def read(name, text):
    setting = {each.name: each for each in list_settings(Config())}[name]
    return getattr(changed("toy", Config(), {name: parse(setting, text)}), name.partition(".")[0])


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("rate", "2", 2.0),
        ("seeds", "3", (0, 1, 2)),
        ("seeds", "3-5", (3, 4, 5)),
        ("seeds", "7,2", (7, 2)),
        ("seeds", "(4,)", (4,)),
        ("seeds", "0", (0,)),
        ("axes", "depth", ("depth",)),
        ("axes", "depth, width", ("depth", "width")),
        ("axes", "both, turned", ("both, turned",)),
        ("axes", "('both, turned', 'width')", ("both, turned", "width")),
        ("kind", "b", "b"),
        ("flag", "True", True),
        ("limit", "0.5", 0.5),
        ("limit", "None", None),
        ("shapes", "((1, 2), (3, 4))", ((1, 2), (3, 4))),
        ("inner.length", "7", Inner(7)),
        ("more", "({'length': 9},)", (Inner(9),)),
    ],
)
def test_what_is_typed_becomes_a_value_of_the_type(name, text, value):
    found = read(name, text)
    assert found == value and type(found) is type(value)


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("rate", "fast", "rate must be a number, like 0.5; got 'fast'"),
        ("rate", "-1", "rate must not be negative"),
        ("rate", "True", "rate must be a number"),
        ("seeds", "x", "--seeds takes whole numbers"),
        ("axes", "foo", "axes must be among depth, width, both, turned; got 'foo'"),
        ("axes", "()", "axes must be among .*; got none"),
        ("axes", "3", "axes must be a list, each text"),
        ("kind", "c", "kind must be one of a, b"),
        ("flag", "1", "flag must be True or False"),
        ("shapes", "((1, 2, 3),)", "shapes must be a list, each a list of 2"),
        ("inner.length", "2.5", "length must be a whole number"),
        ("more", "({'size': 9},)", "more must be a list"),
    ],
)
def test_a_value_of_another_type_is_a_sentence(name, text, sentence):
    with pytest.raises(UserError, match=sentence):
        read(name, text)


def test_settings_are_listed_with_what_they_mean_those_of_bases_and_inner_ones_too():
    texts = {each.name: each.text for each in list_settings(Config())}
    assert texts["rate"] == "How fast."
    assert texts["axes"] == "Which axes."
    assert texts["inner.length"] == "Steps."
    assert "inner" not in texts


@pytest.mark.parametrize("name", ["rooms", "rl-table", "nca-scan"])
def test_help_of_an_artefact_lists_its_settings_nested_ones_too(name, capsys):
    artefact = all_artefacts()[name]
    with pytest.raises(SystemExit) as stopped:
        main(["run", name, "--help"])
    assert stopped.value.code == 0
    shown = " ".join(capsys.readouterr().out.split())
    for setting in list_settings(artefact.experiment.PAPER):
        assert f"--{setting.name.replace('_', '-')}" in shown
        assert " ".join(setting.text.split()[:2]) in shown
        if setting.name == "seeds" and isinstance(setting.value, tuple):
            assert "N is the first N seeds; A,B and A-B are these." in shown
    for alias in artefact.aliases:
        assert f"--{alias}" in shown


@pytest.mark.parametrize(
    ("name", "setting", "value"),
    [
        ("eca", "draws", 0),
        ("eca", "window", 0),
        ("flows", "draws", 0),
        ("temporal", "pairs", 0),
        ("life-map", "states", "foo"),
        ("explore", "seeds", ()),
        ("rooms", "habit_lengths", ()),
    ],
)
def test_a_value_that_no_run_can_use_is_a_sentence(name, setting, value):
    with pytest.raises(UserError, match=f"{setting} must (be|have) .*[,;] got"):
        configure(name, "quick", {setting: value})
