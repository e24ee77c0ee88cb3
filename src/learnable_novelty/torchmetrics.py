"""The score in torchmetrics; see ``learnable_novelty.integrations.torchmetrics``."""

from learnable_novelty.errors import needs_extra

with needs_extra("learnable_novelty.torchmetrics", "integrations"):
    from learnable_novelty.integrations.torchmetrics import *  # noqa: F403
    from learnable_novelty.integrations.torchmetrics import __all__ as __all__
