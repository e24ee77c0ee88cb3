# %% [markdown]
# # Noise moves raw bits, not denoised bits
#
# The point of the project in one picture: take a clean relation, add more and more noise, and watch three numbers. This
# page is a notebook: it was run when the documentation was built.
#
# The inputs are 500 angles, and the targets the next eight values of a sine that starts there.

# %%
import matplotlib.pyplot as plt
import numpy as np

import learnable_novelty as ln

# %matplotlib inline
rng = np.random.default_rng(0)


def sines(rows: int) -> tuple[np.ndarray, np.ndarray]:
    angle = rng.uniform(0, 2 * np.pi, (rows, 1))
    return np.hstack([np.cos(angle), np.sin(angle)]), np.sin(angle + 0.3 * np.arange(1, 9))


inputs, signal = sines(500)
noise = rng.standard_normal(signal.shape)
levels = [0.0, 0.1, 0.3, 1.0, 3.0, 10.0]

# %% [markdown]
# The ridge is fixed, as in the paper.

# %%
found = [
    ln.score(inputs, signal + level * noise, ridge_penalty=0.1, draws=2, null=99)
    for level in levels
]
figure, (bits, share) = plt.subplots(1, 2, figsize=(9, 3), layout="constrained")
bits.plot([one.bits for one in found], "o-", color="#999999", label="raw bits")
bits.plot([one.denoised_bits for one in found], "s-", color="#0072B2", label="denoised bits")
bits.set(ylabel="bits", ylim=(0, None))
bits.legend(frameon=False)
share.plot([one.held_out_variance for one in found], "o-", color="#D55E00")
share.set(ylabel="held-out variance", ylim=(0, 1.05))
for axes in (bits, share):
    axes.set_xticks(range(len(levels)), levels)
    axes.set_xlabel("deviation of the noise")

# %% [markdown]
# - **Raw bits** rise with the noise: the regression needs large weights to fit it. The last point is almost pure noise,
#   and has the most bits of all.
# - **Denoised bits** stay at 4 to 5, and become 0 where the noise has drowned the relation. They are an estimate, so they
#   are not quite level: noise of the size of the signal adds an error of a bit or two.
# - **Held-out variance** falls: it says how strong the relation is in these data, not how complicated it is.
#
# ## Drowned, and found again
#
# With the strongest noise 500 rows are not enough. 20,000 are:

# %%
print(found[-1].verdict)
inputs, signal = sines(20_000)
strong = signal + 10 * rng.standard_normal(signal.shape)
print(ln.score(inputs, strong, draws=1, null=19).verdict)
