"""The neural automaton that the page trains: score and gradient, and that the score climbs."""

import numpy as np
import pytest

from lab.tests.explorer.page import open_panel, wait_for

pytest.importorskip("selenium.webdriver", reason="needs selenium")


@pytest.fixture(scope="module")
def trainer(browser, exported):
    open_panel(browser, exported, "neural")
    browser.execute_script("LN.current().hide(); window.trainer = LN.training.makeTrainer(null)")
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
        "const x = trainer.settled(theta, random), h = trainer.observe(random, x);"
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
        "const x = trainer.settled(theta, random), ring = new LN.neural.Ring(32);"
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
    found, chance = browser.execute_script(f"return [{bits}, LN.training.figure.state().chance]")
    browser.execute_script("LN.training.figure.node.querySelector('button').click()")
    assert np.mean(found[15:20]) > np.mean(found[:2]) + 1
    assert np.mean(found[15:20]) > np.mean(chance[15:20]) + 2
    assert browser.get_log("browser") == []
    assert browser.execute_script("return LN.training.figure.state().running") is False
