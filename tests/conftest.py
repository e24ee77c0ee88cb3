"""Tests run side by side, one thread each: threads of many processes would fight for cores."""

import torch

torch.set_num_threads(1)
