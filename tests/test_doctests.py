"""Every example in a docstring runs."""

import doctest
import importlib
import pkgutil

import pytest

import learnable_novelty

MODULES = [
    info.name
    for info in pkgutil.walk_packages(learnable_novelty.__path__, "learnable_novelty.")
    if not info.name.endswith("__main__")
]


@pytest.mark.parametrize("name", ["learnable_novelty", *MODULES])
def test_examples_of_module(name):
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing not in ("triton", "numba"):
            raise
        pytest.skip(f"needs {missing}, which is not installed")
    failed, _ = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert failed == 0


def test_there_are_examples_to_run():
    found = doctest.DocTestFinder().find(importlib.import_module("learnable_novelty.measure.score"))
    assert any(test.examples for test in found)
