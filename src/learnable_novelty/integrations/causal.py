"""``dependence`` as the test of causal discovery: in causal-learn, pgmpy and tigramite.

A base class is imported when its plug-in is made, so none of these packages has to be installed.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from learnable_novelty.independence.dependence import dependence

__all__ = ["PgmpyTest", "causal_learn", "tigramite"]
NAME, PERMUTATIONS = "novelty", 199
"""Of the test; and its rearrangements: the smallest p-value is 0.005."""


def causal_learn(*, permutations: int = PERMUTATIONS, seed: int = 0) -> str:
    """Register the test in causal-learn; ``pc(data, indep_test=causal_learn())``.

    Returns:
        The name of the test there.
    """
    package = _installed("causallearn.utils.cit", "causal-learn")

    class Novelty(package.CIT_Base):
        def __init__(self, data: np.ndarray, **kwargs: Any) -> None:
            super().__init__(data, **kwargs)
            self.check_cache_method_consistent(NAME, f"{permutations} {seed}")

        def __call__(self, X: Any, Y: Any, condition_set: Any = None) -> float:
            x, y, z, key = self.get_formatted_XYZ_and_cachekey(X, Y, condition_set)
            if key not in self.pvalue_cache:
                sides = self.data[:, x], self.data[:, y], self.data[:, z] if z else None
                found = dependence(*sides, permutations=permutations, seed=seed)
                self.pvalue_cache[key] = found.p_value
            return self.pvalue_cache[key]

    return package.register_ci_test(NAME, Novelty) and NAME


class PgmpyTest:
    """The test in pgmpy; ``PC(ci_test=PgmpyTest(frame)).fit(frame)``.

    Args:
        data: a data frame of numbers.
        permutations: rearrangements of a test.
        seed: of each test.
    """

    def __init__(self, data: Any, *, permutations: int = PERMUTATIONS, seed: int = 0) -> None:
        self.data, self.permutations, self.seed = data, permutations, seed

    def __call__(
        self,
        X: Any,
        Y: Any,
        Z: Any = (),
        significance_level: float = 0.05,
    ) -> bool:
        """Tell whether two columns are independent given others."""
        (x, y), given = sorted((X, Y), key=repr), sorted(Z, key=repr)
        found = dependence(
            self.data[[x]],
            self.data[[y]],
            self.data[given] if given else None,
            permutations=self.permutations,
            seed=self.seed,
        )
        self.statistic_, self.p_value_ = found.statistic, found.p_value
        self.effect_size_ = found.effect
        return self.p_value_ >= significance_level


def tigramite(
    *, permutations: int = PERMUTATIONS, blocks: int | None = None, seed: int = 0, **kwargs: Any
) -> Any:
    """Return the test for tigramite; ``PCMCI(frame, cond_ind_test=tigramite())``.

    Args:
        permutations: rearrangements of a test.
        blocks: the length of blocks of steps that are rearranged, if residuals have a memory.
        seed: of each test.
        **kwargs: of ``CondIndTest``, such as ``mask_type``.
    """
    package = _installed("tigramite.independence_tests.independence_tests_base", "tigramite")

    class Novelty(package.CondIndTest):
        measure, two_sided, residual_based = NAME, False, False
        last: tuple[Any, float] = (None, 1.0)

        def get_dependence_measure(self, array: Any, xyz: Any, data_type: Any = None) -> float:
            x, y, z = (array[xyz == part].T for part in range(3))
            settings = {"permutations": permutations, "blocks": blocks, "seed": seed}
            found = dependence(x, y, z if z.size else None, **settings)
            self.last = array.copy(), found.p_value
            return found.effect

        def get_shuffle_significance(
            self, array: Any, xyz: Any, value: float, data_type: Any = None, **_: Any
        ) -> float:
            if not np.array_equal(self.last[0], array):
                self.get_dependence_measure(array, xyz)
            return self.last[1]

    return Novelty(significance="shuffle_test", sig_samples=permutations, **kwargs)


def _installed(module: str, package: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(f"expected {package} to be installed: pip install {package}") from error
