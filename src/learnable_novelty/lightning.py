"""The score in Lightning; see ``learnable_novelty.integrations.lightning``."""

from learnable_novelty.errors import needs_extra

with needs_extra("learnable_novelty.lightning", "integrations"):
    from learnable_novelty.integrations.lightning import *  # noqa: F403
    from learnable_novelty.integrations.lightning import __all__ as __all__
