"""The observer in the browser has the numbers of Python."""
# pyright: reportOptionalMemberAccess=false

from dataclasses import replace

import numpy as np
import pytest
import torch

import learnable_novelty as ln
from lab.tests.explorer.page import open_panel
from learnable_novelty.measure.defaults import default_width
from learnable_novelty.observer.bits import spectral_error
from learnable_novelty.observer.reservoirs import MLP
from learnable_novelty.observer.spectral import Spectral
from learnable_novelty.observer.summary import Rows
from learnable_novelty.seeds import split

FIELDS = ("bits", "explained_variance", "held_out_variance", "held_out_interval", "p_value")
FIELDS += ("linear_variance", "linear_interval", "dependence_p_value", "null_count", "cautions")
FIELDS += ("num_samples", "target_dim", "refusal")
PYTHON_NAMES = {"shuffles": "null", "ridge": "ridge_penalty"}
SCORE = """
const [request, done] = arguments;
for (const side of ['inputs', 'targets'])
  if (request[side]) request[side] = request[side].map((column) => Float64Array.from(column));
const start = performance.now();
LN.observer.score(request).then(
  (found) => done({...found, seconds: (performance.now() - start) / 1000}),
  (error) => done({error: error.message, isRefusal: error instanceof LN.observer.Refusal}));
"""


@pytest.fixture(scope="module")
def page(browser, exported):
    """The page as a file, where workers have the least rights."""
    open_panel(browser, exported, "ledger")
    return browser


def columns(values):
    return np.asarray(values, dtype=float).reshape(len(values), -1).T.tolist()


def score_in(browser, inputs, targets=None, **settings):
    sides = {"inputs": columns(inputs)}
    if targets is not None:
        sides["targets"] = columns(targets)
    return browser.execute_async_script(SCORE, sides | settings)


def score_here(inputs, targets=None, **settings):
    named = {PYTHON_NAMES.get(name, name): value for name, value in settings.items()}
    return ln.score(inputs, targets, **named).to_dict()


def noise(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape)


def logistic(steps):
    values = [0.3]
    while len(values) < steps:
        values.append(3.9 * values[-1] * (1 - values[-1]))
    return np.array(values)


SINE = np.sin(2 * np.pi * np.arange(220) / 25)
TABLE = noise(1, 150, 3)
RELATION = np.c_[np.sin(TABLE[:, 0]), TABLE[:, 1] * TABLE[:, 2]]
SPECIES = np.eye(3)[np.random.default_rng(2).integers(0, 3, 150)]
FIXED = {"window": 8, "history": 4, "ridge": 0.1, "shuffles": 19}
CASES = {
    "clean sine, the paper's ridge": (SINE, None, FIXED),
    "sine and noise": (SINE + 0.5 * noise(0, 220), None, FIXED),
    "sine and noise, evidence": (SINE + 0.5 * noise(0, 220), None, {"window": 1, "shuffles": 19}),
    "a map without noise": (logistic(220), None, {"window": 1, "shuffles": 19}),
    "a map, three steps": (
        logistic(220) + 0.02 * noise(3, 220),
        None,
        {"window": 3, "shuffles": 9},
    ),
    "noise": (noise(4, 220), None, {"window": 2, "history": 2, "shuffles": 19}),
    "a series of two columns": (noise(5, 90, 2).cumsum(0), None, {"window": 2, "shuffles": 9}),
    "two targets": (TABLE, RELATION + 0.3 * noise(6, 150, 2), {"shuffles": 99}),
    "one target, the paper's ridge": (TABLE, RELATION[:, 0], {"shuffles": 99, "ridge": 0.1}),
    "no relation": (TABLE, noise(7, 150), {"shuffles": 99}),
    "classes": (TABLE + SPECIES, SPECIES, {"shuffles": 99}),
    "few rows": (TABLE[:13], RELATION[:13], {"shuffles": 99}),
    "two rows": (TABLE[:2], RELATION[:2], {}),
    "more targets than residuals": (
        TABLE[:40],
        noise(8, 40, 1) + noise(9, 40, 25),
        {"shuffles": 9},
    ),
    "constant target": (TABLE, np.ones(150), {"shuffles": 9}),
    "constant input": (np.c_[TABLE[:, 0], np.ones(150)], RELATION[:, 0], {"shuffles": 9}),
    "far from zero, large": (1e6 + 1e3 * TABLE, 1e9 * RELATION, {"shuffles": 9}),
    "another seed": (TABLE, RELATION[:, 1] + 0.3 * noise(6, 150), {"shuffles": 9, "seed": 12}),
}


def check_equal(found, truth):
    for field in FIELDS:
        shown, expected = found[field], truth[field]
        # Values that JSON cannot hold are null.
        if (
            field == "cautions"
            or expected is None
            or isinstance(expected, str)
            or expected == [None, None]
        ):
            assert shown == expected, field
        else:
            assert shown == pytest.approx(expected, rel=1e-9, abs=1e-9), field


@pytest.mark.parametrize("name", CASES)
def test_the_browser_has_the_score_of_python(page, name):
    inputs, targets, settings = CASES[name]
    settings = {"draws": 2} | settings
    found = score_in(page, inputs, targets, **settings)
    truth = score_here(inputs, targets, **settings)
    check_equal(found, truth)
    assert page.get_log("browser") == []


@pytest.mark.parametrize("name", ["sine and noise, evidence", "two targets"])
def test_a_linear_last_layer_has_the_score_of_python(page, name):
    """The first reservoir, which both draw alike; later ones are drawn by the seed of a score."""
    inputs, targets, settings = CASES[name]
    width = default_width(len(inputs) - settings.get("window", 0))
    columns_of = np.asarray(inputs).reshape(len(inputs), -1).shape[1]
    seed = split(settings.get("seed", 0), "draw", 0)
    reservoir = MLP(columns_of, width, 4, linear_last=True, seed=seed)
    observer = ln.Observer(reservoir, ridge_penalty="evidence", solver="auto")
    found = score_in(page, inputs, targets, **settings, draws=1, linearLast=True)
    truth = score_here(inputs, targets, **settings, draws=1, observer=observer)
    check_equal(found, truth)
    assert truth["bits"] != score_here(inputs, targets, **settings, draws=1)["bits"]


def test_predictions_of_rows_not_seen_are_those_of_python(page):
    target = 5 + 3 * RELATION[:, 0] + noise(6, 150)
    found = score_in(page, TABLE, target, draws=2, shuffles=0)
    truth = ln.score(TABLE, target, draws=2, null=0).predictions
    observed, predicted = np.array(found["points"]).T
    np.testing.assert_allclose(observed, target, rtol=1e-12)
    np.testing.assert_allclose(predicted, truth.predicted[:, 0], rtol=1e-9)


@pytest.mark.parametrize(("rows", "width", "targets"), [(40, 9, 3), (6, 9, 2), (40, 3, 5)])
def test_what_rounding_may_change_is_refused_as_in_python(page, rows, width, targets):
    features, values = noise(0, rows, width) * 10.0 ** -np.arange(width), noise(1, rows, targets)
    h, y = torch.from_numpy(features), torch.from_numpy(values)
    axes = Spectral.of(replace(Rows(h, y).centred(torch.float64), root=h, along=y))
    found = page.execute_script(
        "const list = m => m.map(c => Float64Array.from(c)), ob = LN.observer.parts;"
        "const axes = ob.axesOf(list(arguments[0]), list(arguments[1]));"
        "return arguments[2].map(penalty => { const readout = axes.cross.map(c =>"
        "c.map((v, i) => v / (axes.eigenvalues[i] + penalty))), width = arguments[0].length;"
        "try { ob.refuseRounding(axes, readout, penalty, width, 2); } catch (error) {"
        "return [ob.roundingError(axes, readout, penalty, width), error instanceof ob.Refusal]; }"
        "return [ob.roundingError(axes, readout, penalty, width), false]; })",
        features.T.tolist(),
        values.T.tolist(),
        penalties := [1.0, 1e-3, 1e-9, 1e-14],
    )
    errors = [float(spectral_error(axes, one, 1.0)) for one in penalties]
    assert [error for error, _ in found] == pytest.approx(errors, rel=1e-6)
    assert [refused for _, refused in found] == [error > 2e-6 for error in errors]


@pytest.mark.parametrize("seed", [0, 5, 2**62 + 12345])
def test_numbers_are_drawn_as_in_python(page, seed):
    uniform, integers, orders = page.execute_script(
        "const ob = LN.observer.parts, seed = BigInt(arguments[0]);"
        "const next = ob.torchUniform(seed), words = ob.numpyWords(seed);"
        "return [Array.from({length: 2000}, next), Array.from(ob.integers(words, 7, 1001)),"
        "[1, 2, 5, 300].map(n => Array.from(ob.permutation(words, n)))]",
        str(seed),
    )
    generator = torch.Generator().manual_seed(seed)
    assert uniform == torch.rand(2000, generator=generator, dtype=torch.float64).tolist()
    generator = np.random.default_rng(seed)
    assert integers == generator.integers(0, 7, 1001).tolist()
    assert orders == [generator.permutation(n).tolist() for n in (1, 2, 5, 300)]


@pytest.mark.parametrize("linear_last", [False, True])
def test_weights_and_features_are_those_of_torch(page, linear_last):
    reservoir = MLP(3, 16, 4, linear_last=linear_last, seed=split(0, "draw", 1))
    inputs = torch.from_numpy(noise(0, 20, 3))
    found = page.execute_script(
        "const ob = LN.observer.parts;"
        "const drawn = ob.drawReservoir(ob.split(0, 'draw', 1), 3, 16, arguments[1]);"
        "const made = ob.features(drawn, arguments[0].map(c => Float64Array.from(c)));"
        "const plain = list => list.map(c => [...c]);"
        "return [drawn.layers.map(l => [plain(l.weights), [...l.bias]]), plain(made)]",
        inputs.T.tolist(),
        linear_last,
    )
    for layer, (weights, bias) in enumerate(found[0]):
        assert weights == getattr(reservoir, f"weight{layer}").tolist()
        assert bias == getattr(reservoir, f"bias{layer}").tolist()
    np.testing.assert_allclose(np.array(found[1]).T, reservoir(inputs).numpy(), atol=1e-13)
