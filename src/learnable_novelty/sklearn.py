"""The score in scikit-learn; see ``learnable_novelty.integrations.sklearn``."""

from learnable_novelty.errors import needs_extra

with needs_extra("learnable_novelty.sklearn", "integrations"):
    from learnable_novelty.integrations.sklearn import *  # noqa: F403
    from learnable_novelty.integrations.sklearn import __all__ as __all__
