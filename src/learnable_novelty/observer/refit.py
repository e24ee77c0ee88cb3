"""Old names of ``Observer.fit``."""

from __future__ import annotations

from learnable_novelty.observer.fit import Fit
from learnable_novelty.observer.observer import Observer
from learnable_novelty.observer.roots import Roots
from learnable_novelty.observer.rows import Rows


class Refit(Fit):
    """The old name of ``Fit``."""

    @staticmethod
    def of(observer: Observer, rows: Rows) -> Fit:
        """Fit, as ``observer.fit(rows)``."""
        return observer.fit(rows)


def bits_of_roots(observer: Observer, roots: Roots) -> float:
    """Score, as ``observer.fit(roots).bits()``."""
    return observer.fit(roots).bits()
