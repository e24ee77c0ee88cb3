"""The plug-ins ask ``dependence`` for the right columns, in the packages or in stand-ins."""

import importlib
import sys
from types import ModuleType

import numpy as np
import pandas as pd
import pytest

import learnable_novelty as ln
from learnable_novelty import causal


def chain(n=200):
    """Return columns a -> b -> c, and d alone."""
    g = np.random.default_rng(0)
    a, d = g.standard_normal((2, n))
    b = np.sin(2 * a) + 0.3 * g.standard_normal(n)
    return np.stack([a, b, b**2 + 0.3 * g.standard_normal(n), d], axis=1)


def expected(x, y, given=None):
    data = chain()
    z = None if given is None else data[:, given]
    return ln.dependence(data[:, [x]], data[:, [y]], z, permutations=99).p_value


class Causal:
    """As much of causal-learn's base class as a test needs."""

    def __init__(self, data):
        self.data, self.pvalue_cache = data, {}

    def check_cache_method_consistent(self, name, parameters):
        assert (name, parameters) == ("novelty", "99 0")

    def get_formatted_XYZ_and_cachekey(self, x, y, given):
        x, y = sorted((x, y))
        return [x], [y], sorted(given or ()), f"{x} {y} {given}"


@pytest.fixture
def registered(monkeypatch):
    """Return causal-learn's maker of tests by name, or a stand-in."""
    if importlib.util.find_spec("causallearn"):
        return importlib.import_module("causallearn.utils.cit").CIT
    tests, package = {}, ModuleType("causallearn.utils.cit")
    package.CIT_Base, package.register_ci_test = (
        Causal,
        lambda name, test: tests.update({name: test}) or test,
    )
    for name in ("causallearn", "causallearn.utils", "causallearn.utils.cit"):
        monkeypatch.setitem(sys.modules, name, package)
    return lambda data, name: tests[name](data)


def test_causal_learn_gets_the_p_value_of_columns_given_others(registered):
    test = registered(chain(), causal.causal_learn(permutations=99))
    assert test(1, 0) == test(0, 1) == expected(0, 1) == 0.01
    assert test(0, 2, [1]) == expected(0, 2, [1]) > 0.05
    assert test(0, 3, [2, 1]) == expected(0, 3, [1, 2])


def test_pgmpy_gets_a_decision_with_its_numbers():
    frame = pd.DataFrame(chain(), columns=list("abcd"))
    test = causal.PgmpyTest(frame, permutations=99)
    assert test("a", "c", ["b"], significance_level=0.05)
    assert test.p_value_ == expected(0, 2, [1])
    assert not test("c", "b") and test.p_value_ == expected(1, 2) and test.effect_size_ > 0.5


class Series:
    """As much of tigramite's base class as a test needs."""

    def __init__(self, significance, sig_samples):
        assert significance == "shuffle_test"

    def run_test_raw(self, x, y, z=None):
        parts = [part for part in (x, y, z) if part is not None]
        xyz = np.concatenate([np.full(part.shape[1], i) for i, part in enumerate(parts)])
        array = np.concatenate(parts, axis=1).T
        value = self.get_dependence_measure(array, xyz)
        return value, self.get_shuffle_significance(array, xyz, value)


def test_tigramite_gets_an_effect_and_the_p_value(monkeypatch):
    name = "tigramite.independence_tests.independence_tests_base"
    if importlib.util.find_spec("tigramite") is None:
        package = ModuleType(name)
        package.CondIndTest = Series
        for part in ("tigramite", "tigramite.independence_tests", name):
            monkeypatch.setitem(sys.modules, part, package)
    test, data = causal.tigramite(permutations=99), chain()
    value, p = test.run_test_raw(data[:, :1], data[:, 1:2])[:2]
    assert value > 0.5 and p == expected(0, 1) == 0.01
    assert test.run_test_raw(data[:, :1], data[:, 2:3], data[:, 1:2])[1] == expected(0, 2, [1])
    other = np.zeros((2, 50))
    assert test.get_shuffle_significance(other, np.array([0, 1]), 0.0) == 1.0


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "causallearn.utils.cit", None)
    with pytest.raises(ImportError, match="pip install causal-learn"):
        causal.causal_learn()


@pytest.mark.slow
def test_pc_of_causal_learn_finds_a_chain():
    pc = pytest.importorskip("causallearn.search.ConstraintBased.PC").pc
    found = pc(chain(), indep_test=causal.causal_learn(), show_progress=False)
    assert (found.G.graph[0, 1] != 0) and (found.G.graph[1, 2] != 0)
    assert not found.G.graph[0, 2] and not found.G.graph[3].any()
