# %% [markdown]
# # Automata and flows
#
# Systems that come with the library, and what an observer learns from them. This page is a notebook: it was run when the
# documentation was built.

# %%
import matplotlib.pyplot as plt
import numpy as np

import learnable_novelty as ln
from novelty_lab.systems.elementary import ElementaryRule
from novelty_lab.systems.flows import LORENZ, ROTATION

# %matplotlib inline

# %% [markdown]
# ## Four elementary automata
#
# A sample is a ring of 64 cells and what becomes of it in 32 steps. Order that stands still (rule 4) has few bits, chaos
# (rule 30) has some that the observer sees at close range, and rule 110, which can compute anything, has most.

# %%
rng = np.random.default_rng(0)
figure, panels = plt.subplots(1, 4, figsize=(11, 3.2), layout="constrained")
for axes, number in zip(panels, (4, 54, 30, 110), strict=True):
    rule = ElementaryRule(number)
    inputs, targets = rule.sample(64, seed=0)
    found = ln.score(inputs, targets, draws=1, null=19)
    axes.imshow(rule.run(rng.integers(0, 2, 64), 96), cmap="binary", interpolation="nearest")
    axes.set(title=f"rule {number}\n{found.denoised_bits:.0f} denoised bits", xticks=[], yticks=[])

# %% [markdown]
# ## How far ahead can a flow be learned?
#
# Two series of 600 steps of 0.1: one coordinate of the Lorenz flow, and a rotation.

# %%
figure, panels = plt.subplots(1, 2, figsize=(9, 3), layout="constrained")
for axes, flow in zip(panels, (LORENZ, ROTATION), strict=True):
    start = flow.on_attractor(1, burn_in=10.0, seed=0)
    series = flow.trajectory(start, interval=0.1, steps=600)[:, 0, 0]
    ln.horizon(series, leads=(1, 4, 16), history=4, draws=1).plot(ax=axes)
    axes.set_title(flow.name)
