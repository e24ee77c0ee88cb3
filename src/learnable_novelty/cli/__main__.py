"""``python -m learnable_novelty.cli`` is ``novelty``."""

import sys

from learnable_novelty.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
