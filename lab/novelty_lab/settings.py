"""The settings of an artefact: fields of a dataclass, listed, changed by name, and checked.

The type of a field says what it takes, the string below it what it means. Settings within settings
have dotted names, such as ``corridor.length``.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import inspect
import itertools
import textwrap
import types
import typing
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from learnable_novelty.cli.options import integers
from learnable_novelty.errors import UserError

AT_LEAST_ONE = frozenset(
    ("channels", "depth", "draws", "pairs", "repeats", "samples", "width", "window")
)
"""Numbers that no experiment can do without, by the name of their setting."""
KINDS = {int: "a whole number", float: "a number", bool: "True or False", str: "text"}


class Settings:
    """Base of configurations, which are frozen dataclasses: values are checked when it is made."""

    def __post_init__(self) -> None:
        check(self)


def choice(
    among: Iterable[str], default: tuple[str, ...] | None = None, *, required: bool = True
) -> Any:
    """Make a field that takes several of these names, all by default; at least one if required."""
    names = tuple(among)
    metadata = {"choices": names, "required": required}
    return dataclasses.field(default=names if default is None else default, metadata=metadata)


@dataclass(frozen=True)
class Setting:
    """One setting, as ``--help`` shows it."""

    name: str
    kind: Any
    value: Any
    choices: tuple[str, ...]
    text: str
    """What it means."""


def list_settings(config: Any) -> Iterator[Setting]:
    """Yield all settings of a configuration, those within others too."""
    kinds, texts = type_hints(type(config)), field_texts(type(config))
    for field in dataclasses.fields(config):
        value, text = getattr(config, field.name), texts.get(field.name, "")
        if dataclasses.is_dataclass(value):
            for inner in list_settings(value):
                yield dataclasses.replace(inner, name=f"{field.name}.{inner.name}")
        else:
            choices = field.metadata.get("choices", ())
            yield Setting(field.name, kinds[field.name], value, choices, text)


def parse(setting: Setting, text: str) -> Any:
    """Read the value of a setting as it is typed."""
    if is_seeds(setting) and not text.startswith("("):
        return parse_seeds(text)
    if text in setting.choices:  # whose names may have commas
        return (text,)
    return _converted(text, setting.kind)


def is_seeds(setting: Setting) -> bool:
    """Tell whether a setting is a list of seeds."""
    return setting.name == "seeds" and _is_tuple(setting.kind)


def parse_seeds(text: str) -> tuple[int, ...]:
    """Read which seeds: a number N is the first N, a list 0,3,5 or a range 0-9 are these.

    >>> parse_seeds("3"), parse_seeds("3-4,7"), parse_seeds("0")
    ((0, 1, 2), (3, 4, 7), (0,))
    """
    numbers = integers("--seeds", text)
    return tuple(range(numbers[0])) if text.strip().isdigit() and numbers[0] else tuple(numbers)


def changed(owner: str, config: Any, overrides: Mapping[str, Any]) -> Any:
    """Return a configuration with settings changed; dotted names reach settings within others."""
    known = {setting.name for setting in list_settings(config)}
    known |= {field.name for field in dataclasses.fields(config)}
    inner: dict[str, dict[str, Any]] = {}
    outer: dict[str, Any] = {}
    for name, value in overrides.items():
        if name not in known:
            raise UserError(f"{owner} has no setting {name!r}; it has {', '.join(sorted(known))}")
        first, dot, rest = name.partition(".")
        if dot:
            inner.setdefault(first, {})[rest] = value
        else:
            outer[first] = value
    for name, values in inner.items():
        outer[name] = changed(owner, outer.get(name, getattr(config, name)), values)
    new_config = dataclasses.replace(config, **outer)
    check(new_config)
    for name, value in outer.items():
        if value == () and getattr(config, name) not in ((), None):
            raise UserError(f"{name} must have a value, like {getattr(config, name)!r}; got ()")
    return new_config


def varied(config: Any, name: str, value: float) -> Any:
    """Return a configuration with one number changed, of the type that it has."""
    return dataclasses.replace(config, **{name: type(getattr(config, name))(value)})


def check(config: Any) -> None:
    """Raise unless every value is of its field's type, large enough, and among its choices."""
    kinds = type_hints(type(config))
    for field in dataclasses.fields(config):
        value, kind = getattr(config, field.name), kinds[field.name]
        if not _fits(value, kind):
            like = (
                "" if field.default in (dataclasses.MISSING, value) else f", like {field.default!r}"
            )
            raise UserError(f"{field.name} must be {describe(kind)}{like}; got {value!r}")
        if kind in (int, float) and value < 0:
            raise UserError(f"{field.name} must not be negative, got {value!r}")
        if kind is int and value < 1 and field.name in AT_LEAST_ONE:
            raise UserError(f"{field.name} must be at least 1, got {value!r}")
        choices = field.metadata.get("choices", ())
        wrong = [repr(item) for item in (value if choices else ()) if item not in choices]
        if field.metadata.get("required") and not value:
            wrong = ["none"]
        if wrong:
            raise UserError(f"{field.name} must be among {', '.join(choices)}; got {wrong[0]}")


@functools.cache
def type_hints(kind: type) -> dict[str, Any]:
    """Return the types of a dataclass's fields."""
    return typing.get_type_hints(kind)


@functools.cache
def field_texts(kind: type) -> dict[str, str]:
    """Return the strings that stand below the fields of a dataclass and of its bases."""
    texts: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        if not dataclasses.is_dataclass(base):
            continue
        (body,) = ast.parse(textwrap.dedent(inspect.getsource(base))).body
        statements = body.body if isinstance(body, ast.ClassDef) else []
        for field, below in itertools.pairwise(statements):
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
                text = below.value if isinstance(below, ast.Expr) else None
                if isinstance(text, ast.Constant):
                    texts[field.target.id] = " ".join(str(text.value).split())
    return texts


def describe(kind: Any) -> str:
    """Say what a type takes.

    >>> describe(tuple[int, ...])
    'a list, each a whole number'
    """
    arguments = typing.get_args(kind)
    if _is_tuple(kind):
        if len(arguments) == 2 and arguments[1] is ...:
            return f"a list, each {describe(arguments[0])}"
        return f"a list of {len(arguments)}"
    if typing.get_origin(kind) is typing.Literal:
        return f"one of {', '.join(map(str, arguments))}"
    if _is_union(kind):
        return " or ".join(describe(each) for each in arguments)
    return KINDS.get(kind, getattr(kind, "__name__", str(kind)))


def metavar(setting: Setting) -> str:
    """Say in a word what an option takes."""
    if is_seeds(setting):
        return "N|A,B|A-B"
    kind = typing.get_args(setting.kind)[0] if _is_tuple(setting.kind) else setting.kind
    if typing.get_origin(kind) is typing.Literal:
        return "{" + ",".join(map(str, typing.get_args(kind))) + "}"
    word = {int: "INT", float: "FLOAT", str: "NAME"}.get(kind, "VALUE")
    return f"{word},..." if _is_tuple(setting.kind) else word


def _fits(value: Any, kind: Any) -> bool:
    arguments = typing.get_args(kind)
    if _is_tuple(kind):
        if not isinstance(value, tuple):
            return False
        if len(arguments) == 2 and arguments[1] is ...:
            return all(_fits(item, arguments[0]) for item in value)
        return len(value) == len(arguments) and all(map(_fits, value, arguments))
    if typing.get_origin(kind) is typing.Literal:
        return value in arguments
    if _is_union(kind):
        return any(_fits(value, each) for each in arguments)
    if kind in (int, float):
        return isinstance(value, (int, kind)) and not isinstance(value, bool)
    return isinstance(value, kind) if isinstance(kind, type) else True


def _converted(value: Any, kind: Any) -> Any:
    """Turn what was typed into a value of this type where it can be one; else leave it."""
    arguments = typing.get_args(kind)
    if isinstance(value, str) and kind is not str:
        value = _literal(value)
    if _is_tuple(kind):
        items = value.split(",") if isinstance(value, str) else value
        items = items if isinstance(items, (list, tuple)) else (items,)
        kinds = [arguments[0]] * len(items) if arguments[1:] == (...,) else arguments
        stripped = [item.strip() if isinstance(item, str) else item for item in items]
        if len(kinds) != len(stripped):
            return tuple(stripped)
        return tuple(map(_converted, stripped, kinds))
    if dataclasses.is_dataclass(kind) and isinstance(value, dict):
        names = {each.name for each in dataclasses.fields(kind)}
        return kind(**value) if set(value) <= names else value
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if kind is bool and isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true"
    if kind is str and isinstance(value, str) and value[:1] in ("'", '"'):
        return _literal(value)
    return value


def _literal(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text


def _is_tuple(kind: Any) -> bool:
    return typing.get_origin(kind) is tuple


def _is_union(kind: Any) -> bool:
    return typing.get_origin(kind) in (typing.Union, types.UnionType)
