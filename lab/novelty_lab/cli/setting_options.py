"""Settings as options: ``novelty run NAME --help`` lists those of the artefact that it names."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from learnable_novelty.errors import UserError
from novelty_lab.registry import all_artefacts
from novelty_lab.settings import Setting, is_seeds, list_settings, metavar, parse

if TYPE_CHECKING:
    from novelty_lab.artefact import Artefact

PREFIX = "setting:"
"""What the destination of such an option begins with."""


def add_settings_on_demand(run: argparse.ArgumentParser) -> None:
    """Have a parser add the settings of the artefact that the arguments name, when it parses.

    They are not all added at once: that would import every experiment.
    """
    takes_value = {
        option for action in run._actions if action.nargs != 0 for option in action.option_strings
    }
    parse_known = run.parse_known_args

    def parse_known_args(
        args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[argparse.Namespace, list[str]]:
        words = [_dashed(word) for word in args or ()]
        artefact = _named(words, takes_value)
        if artefact is not None and not any(a.dest.startswith(PREFIX) for a in run._actions):
            _add_settings(run, artefact)
        parsed, unknown = parse_known(words, namespace)
        parsed.unknown = unknown
        return parsed, []

    run.parse_known_args = parse_known_args  # pyright: ignore[reportAttributeAccessIssue]


def given_settings(artefact: Artefact, options: argparse.Namespace) -> dict[str, Any]:
    """Return the settings that options changed, read as their types say."""
    given: dict[str, Any] = {}
    for assignment in options.set:
        name, equals, text = assignment.partition("=")
        if not equals:
            raise UserError(f"--set takes NAME=VALUE, got {assignment!r}")
        given[name.strip()] = text
    for destination, text in vars(options).items():
        if destination.startswith(PREFIX) and text is not None:
            given[destination.removeprefix(PREFIX)] = text
    known = {each.name: each for each in list_settings(artefact.experiment.PAPER)}
    return {
        name: parse(known[name], text) if name in known and isinstance(text, str) else text
        for name, text in given.items()
    }


def _named(words: Sequence[str], takes_value: set[str]) -> Artefact | None:
    """Return the artefact that the arguments name; values of options are not names."""
    known, pairs = all_artefacts(), zip(["", *words], words, strict=False)
    named = [word for before, word in pairs if word in known and before not in takes_value]
    return known[named[0]] if named else None


def _add_settings(run: argparse.ArgumentParser, artefact: Artefact) -> None:
    paper, quick = artefact.experiment.PAPER, artefact.experiment.QUICK
    small = {each.name: each.value for each in list_settings(quick)}
    group = run.add_argument_group(
        f"settings of {artefact.name} (values of the paper and of quick)"
    )
    aliases = {setting: option for option, setting in artefact.aliases.items()}
    for each in list_settings(paper):
        names = [_dashed(f"--{each.name}")]
        names += [f"--{aliases[each.name]}"] if each.name in aliases else []
        text = _help(each, small.get(each.name)).replace("%", "%%")
        options: dict[str, Any] = {"dest": f"{PREFIX}{each.name}", "default": None}
        if each.kind is bool:
            group.add_argument(*names, action=argparse.BooleanOptionalAction, help=text, **options)
        else:
            group.add_argument(*names, metavar=metavar(each), help=text, **options)


def _help(setting: Setting, quick: Any) -> str:
    """Say what a setting means, what it can be, and its values."""
    sentences = [setting.text]
    if is_seeds(setting):
        sentences.append("N is the first N seeds; A,B and A-B are these.")
    if setting.choices and set(setting.choices) - set(setting.value):
        sentences.append(f"Among {', '.join(setting.choices)}.")
    value = _shown(setting.value)
    if quick != setting.value:
        value += f"; quick {_shown(quick)}"
    return " ".join([*sentences, f"({value})"])


def _shown(value: Any) -> str:
    """Write a value as it is typed: a list without brackets."""
    if isinstance(value, tuple) and not any(isinstance(item, tuple) for item in value):
        return ",".join(map(str, value)) or "none"
    return str(value)


def _dashed(word: str) -> str:
    """Write the name of an option with dashes, as options are; its value stays.

    >>> _dashed("--burn_in=a_b")
    '--burn-in=a_b'
    """
    name, equals, value = word.partition("=")
    return f"{name.replace('_', '-')}{equals}{value}" if word.startswith("--") else word
