"""The neural automaton that the page trains: score and gradient, and that the score climbs."""

import numpy as np
import pytest

from benchmarks.chromium import chromium, missing
from lab.tests.explorer.page import open_panel, wait_for

pytest.importorskip("selenium.webdriver", reason="needs selenium")


@pytest.fixture(scope="module")
def trainer(browser, exported):
    open_panel(browser, exported, "neural")
    browser.execute_script("LN.current().hide(); window.trainer = LN.training.makeTrainer()")
    return browser


def test_the_score_is_that_of_a_ridge_regression(trainer):
    rows, width, penalty = trainer.execute_script(
        "return [trainer.ROWS, trainer.FEATURES, trainer.RIDGE]"
    )
    generator = np.random.default_rng(0)
    features = generator.standard_normal((rows, width))
    targets = generator.standard_normal((rows, 8))
    targets += features[:, :8]
    found = trainer.execute_script(
        "return trainer.score(Float64Array.from(arguments[0]), Float64Array.from(arguments[1]), 8)"
        ".bits",
        features.ravel().tolist(),
        targets.ravel().tolist(),
    )
    # As an augmented least-squares problem, and by singular values.
    stacked = np.concatenate([features, penalty**0.5 * np.eye(width)])
    padded = np.concatenate([targets, np.zeros((width, 8))])
    readout = np.linalg.lstsq(stacked, padded, rcond=None)[0]
    singular = np.linalg.svd(readout, compute_uv=False)
    assert found == pytest.approx(0.5 * np.log2(1 + singular**2).sum(), rel=1e-9)


def test_the_gradient_is_that_of_finite_differences(trainer):
    by_hand, numeric = trainer.execute_script(
        "const random = trainer.generator(3), theta = trainer.start(random);"
        "const drawn = trainer.draw(random), x = trainer.settled(theta, drawn);"
        "const h = trainer.observe(drawn.observer, x);"
        "const { gradient } = trainer.evaluate(theta, x, h);"
        "const bits = (way) => trainer.evaluate(theta.map((v, i) => v + 1e-3 * way[i]), x, h).bits;"
        "const ways = Array.from({ length: 6 }, () => theta.map(() => random() - 0.5));"
        "return [ways.map((way) => way.reduce((s, v, i) => s + v * gradient[i], 0)),"
        "ways.map((way) => (bits(way) - bits(way.map((v) => -v))) / 2e-3)]"
    )
    np.testing.assert_allclose(by_hand, numeric, rtol=2e-3, atol=1e-3)


def test_the_page_runs_the_rule_that_was_trained(trainer):
    """The ring of the page and the trainer's own rings take the same step."""
    found, truth = trainer.execute_script(
        "const random = trainer.generator(5), theta = trainer.start(random);"
        "const x = trainer.settled(theta, trainer.draw(random)), ring = new LN.neural.Ring(32);"
        "ring.state.set(x.subarray(0, 64)); ring.step(trainer.ruleOf(theta), true);"
        "return [Array.from(ring.state), Array.from(trainer.forward(theta, x).next.slice(0, 64))]"
    )
    np.testing.assert_allclose(found, truth, atol=1e-5)


@pytest.mark.parametrize("kind", ["address", "exported"])
def test_the_score_climbs_when_training_is_started(browser, request, kind):
    open_panel(browser, request.getfixturevalue(kind), "neural")
    browser.get_log("browser")
    bits = "LN.training.figure.state().bits"
    browser.execute_script("LN.training.figure.node.querySelector('button').click()")
    wait_for(browser, f"{bits}.length >= 20", seconds=60)
    found, chance, card = browser.execute_script(
        "const { bits, chance, card } = LN.training.figure.state(); return [bits, chance, card]"
    )
    assert card is False, "this browser has no graphics card"
    browser.execute_script("LN.training.figure.node.querySelector('button').click()")
    assert np.mean(found[15:20]) > np.mean(found[:2]) + 1
    assert np.mean(found[15:20]) > np.mean(chance[15:20]) + 2
    # Chromium's own remark on a machine without a graphics card, whoever asks.
    logged = [entry["message"] for entry in browser.get_log("browser")]
    assert [message for message in logged if "No available adapters" not in message] == []
    assert browser.execute_script("return LN.training.figure.state().running") is False


@pytest.fixture(scope="module")
def card(exported):
    """A browser that simulates a graphics card, with the tab open."""
    if missing():
        pytest.skip(missing())
    with chromium("--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader") as browser:
        open_panel(browser, exported, "neural")
        browser.execute_script("LN.current().hide()")
        asked = "const done = arguments[0]; navigator.gpu.requestAdapter().then((a) => done(!!a))"
        if not browser.execute_async_script(asked):
            pytest.skip("this Chromium cannot simulate a graphics card")
        yield browser


MEASURE = """
const [shape, seed, done] = arguments, { makeTrainer, makeGpuTrainer, shaders } = LN.training;
(async () => {
  const there = await makeGpuTrainer(makeTrainer, shaders, shape, true), here = makeTrainer(shape);
  const random = here.generator(seed), theta = here.start(random), drawn = here.draw(random);
  const x = here.settled(theta, drawn), list = (values) => Array.from(values);
  const told = ({ bits, chance, gradient }) => ({ bits, chance, gradient: list(gradient) });
  const found = told(await there.measure(theta, drawn)), truth = told(here.measure(theta, drawn));
  Object.assign(found, { x: list(await there.states()), h: list(await there.features()) });
  Object.assign(truth, { x: list(x), h: list(here.observe(drawn.observer, x)) });
  there.destroy();
  done([found, truth]);
})().catch((error) => done(String(error)));
"""


@pytest.mark.parametrize(
    "shape",
    [
        {"burnIn": 2},
        {"burnIn": 10, "sites": 16, "rings": 4, "hidden": 48, "features": 24, "window": 3},
        {"burnIn": 2, "sites": 64, "rings": 2, "hidden": 64, "features": 64, "window": 8},
    ],
)
def test_a_graphics_card_measures_what_the_processor_does(card, shape):
    """States, features, bits and gradient of one draw, up to single precision."""
    found, truth = card.execute_async_script(MEASURE, shape, 7)
    for name, atol in {"x": 1e-4, "h": 1e-4, "bits": 1e-3, "chance": 1e-3}.items():
        np.testing.assert_allclose(found[name], truth[name], atol=atol, err_msg=name)
    scale = np.abs(truth["gradient"]).max()
    np.testing.assert_allclose(found["gradient"], truth["gradient"], atol=1e-3 * scale)


def test_a_graphics_card_trains_in_the_page(card):
    card.get_log("browser")
    card.execute_script(
        "const { figure } = LN.training;"
        "figure.state().asked = { software: true, shape: { burnIn: 8 } }; figure.toggle()"
    )
    bits = "LN.training.figure.state().bits"
    wait_for(card, f"{bits}.length >= 20", seconds=60)
    found, on, said = card.execute_script(
        f"return [{bits}, LN.training.figure.state().card, LN.training.figure.node.innerText]"
    )
    card.execute_script("LN.training.figure.toggle()")
    assert on is True
    assert "On your graphics card (WebGPU): 16 rings of 32 sites" in said
    assert np.mean(found[15:20]) > np.mean(found[:2]) + 1
    assert card.get_log("browser") == []


def test_a_simulated_card_is_left_to_those_who_ask(card):
    """It is slower than the processor."""
    found = card.execute_async_script(
        "const [done] = arguments, { makeTrainer, makeGpuTrainer, shaders } = LN.training;"
        "makeGpuTrainer(makeTrainer, shaders, {}, false).then(done)"
    )
    assert found is None
