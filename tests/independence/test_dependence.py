"""The test of independence: its algebra, its level, what it finds, and what it refuses."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
import torch

import learnable_novelty as ln
from learnable_novelty.cli.main import main
from learnable_novelty.errors import UserError
from learnable_novelty.independence.conditional import PENALTIES, Given, design_of
from learnable_novelty.independence.features import (
    Features,
    by_rank,
    random_features,
)
from learnable_novelty.independence.statistic import (
    code_bits,
    permuted,
    signed,
    statistics,
)
from learnable_novelty.rearrange import block_orders


def rng(*key):
    return np.random.default_rng([19, *key])


def small_features(rows, groups, count, generator):
    values = torch.from_numpy(generator.standard_normal((rows, groups, count))).float()
    values = (values - values.mean(0)) / values.std(0, correction=0)
    weights = torch.from_numpy(generator.uniform(0.1, 1, (2, count))).float()
    return Features("values", values, weights, (1.0, 2.0))


@pytest.mark.parametrize("sizes", [((1, 3), (1, 3)), ((2, 5), (3, 2)), ((3, 2), (2, 5))])
@pytest.mark.parametrize("kind", ["rows", "signs"])
def test_statistics_are_sums_of_squared_correlations_over_loops(sizes, kind):
    generator, n, count = rng(1), 12, 4
    x, y = (small_features(n, *size, generator) for size in sizes)
    make = permuted if kind == "rows" else signed
    found = statistics(x, y, make(n, count, None, 3), count)
    orders = block_orders(n, count, None, 3).numpy()
    correlations = make(n, count, None, 3)(x, y, slice(0, count)).permute(1, 2, 0).numpy()
    if kind == "rows":
        plain = [
            np.corrcoef(x.flat.T, y.flat[order].T)[: x.flat.shape[1], x.flat.shape[1] :]
            for order in orders
        ]
        np.testing.assert_allclose(correlations, plain, atol=1e-5)
    np.testing.assert_allclose(correlations[0], (x.flat.T @ y.flat / n).numpy(), atol=1e-6)
    (a, j), (b, k) = sizes
    for number, (s, t) in itertools.product(range(count), itertools.product(range(2), range(2))):
        by_pair = np.zeros((a, b))
        for p, q, u, v in itertools.product(range(a), range(b), range(j), range(k)):
            r = correlations[number, p * j + u, q * k + v]
            by_pair[p, q] += float(x.weights[s, u] * y.weights[t, v]) * r**2
        ours = found.values[number, :, s, t]
        assert float(ours[0]) == pytest.approx(by_pair.sum(), rel=1e-4)
        if a * b > 1:
            assert float(ours[1]) == pytest.approx(by_pair.max(), rel=1e-4)
            if number == 0:
                assert int(found.places[s, t]) == by_pair.argmax()


def test_p_values_are_uniform_without_dependence():
    p = []
    for i in range(120):
        g = rng(3, i)
        x = g.standard_t(2, (40, 1)) if i % 2 else g.integers(0, 3, (40, 1))
        p.append(ln.dependence(x, g.standard_normal((40, 2)), permutations=19, seed=i).p_value)
    # Binomial standard errors: 0.0199 at 0.05, 0.046 at 0.5.
    assert np.mean(np.array(p) <= 0.05) < 0.05 + 3.2 * 0.0199
    assert abs(np.mean(np.array(p) <= 0.5) - 0.5) < 3.2 * 0.046


RELATIONS = {
    "circle": lambda g: (lambda t: (np.cos(t), np.sin(t)))(g.uniform(0, 2 * np.pi, 100)),
    "twelve periods": lambda g: (lambda x: (x, np.sin(24 * np.pi * x)))(g.uniform(0, 1, 100)),
    "size only": lambda g: (lambda x: (x, x * g.standard_normal(100)))(g.standard_normal(100)),
    "heavy tails": lambda g: (lambda x: (x, x + g.standard_cauchy(100)))(
        2 * g.standard_cauchy(100)
    ),
    "one of 300 columns": lambda g: (lambda x: (x, x[:, 7] + 0.5 * g.standard_normal(100)))(
        g.standard_normal((100, 300))
    ),
    "the norm": lambda g: (lambda x: (x, np.square(x).sum(1)))(g.standard_normal((100, 8))),
    "a product": lambda g: (lambda x: (x, x[:, 0] * x[:, 1]))(g.standard_normal((100, 3))),
}


@pytest.mark.parametrize("name", RELATIONS)
def test_dependence_without_correlation_is_found(name):
    x, y = RELATIONS[name](rng(4))
    result = ln.dependence(x, y, permutations=199)
    assert result.p_value == 1 / 200
    assert "(p <= 0.005)" in result.verdict
    assert "(p = 0.01)" in replace(result, p_value=2 / 200).verdict
    assert result.bits > 0 and 0 < result.effect <= 1
    if name == "one of 300 columns":
        assert result.pair.x_column == 7 and "column 7 of x" in result.where
    if name == "twelve periods":
        assert "fine detail in x" in str(result)


def test_monotone_changes_leave_the_rank_statistics_alone():
    x = torch.from_numpy(rng(5).standard_normal((50, 1)))
    torch.testing.assert_close(by_rank(x), by_rank(torch.exp(3 * x)))
    assert by_rank(torch.tensor([[2.0], [1.0], [2.0]])).flatten().tolist() == pytest.approx(
        [2 / 3, 1 / 6, 2 / 3]
    )


@pytest.mark.parametrize("unit", [1e-150, 1e150])
def test_units_do_not_matter(unit):
    g = rng(7)
    x = g.standard_normal((60, 2))
    y = x[:, :1] ** 2 + g.standard_normal((60, 1))
    plain = ln.dependence(x, y, permutations=99)
    scaled = ln.dependence(torch.from_numpy(x * unit), y / unit, permutations=99)
    assert scaled.p_value == plain.p_value
    assert scaled.statistic == pytest.approx(plain.statistic, rel=1e-3)


def test_the_third_variable_explains_a_spurious_dependence_and_keeps_a_real_one():
    g = rng(8)
    z, e = g.standard_normal(300), g.standard_normal(300)
    x, y = np.cos(2 * z) + 0.5 * e, z**2 + 0.5 * g.standard_normal(300)
    assert ln.dependence(x, y).p_value == 0.001
    assert ln.dependence(x, y, z).p_value > 0.05
    assert ln.dependence(x, y + 0.5 * np.abs(e), given=z).p_value < 0.01


def test_what_is_left_of_z_is_told_where_it_makes_a_dependence():
    g = rng(20)
    z = g.standard_normal((400, 3))
    hard = np.sign(z[:, 0]) * np.abs(z[:, 1]) + z[:, 2]
    easy = np.sin(z[:, 0]) + z[:, 2]
    for mean, is_told in ((hard, True), (easy, False)):
        x, y = mean + 0.5 * g.standard_normal((2, 400))
        found = ln.dependence(x, y, z, permutations=99)
        assert (len(found.cautions) == 1) == is_told == ("caution" in str(found))
        assert is_told == (found.left_of_given[1] < 0.01)
    e = g.standard_normal(400)
    real = ln.dependence(e, e + easy, z, permutations=99)  # its own relation is nothing left of z
    assert real.p_value == 0.01 and not real.cautions
    assert ln.dependence(x, y, permutations=99).left_of_given is None


def test_regressions_on_z_are_ridges_on_the_rows_of_other_folds():
    g = rng(21)
    z, x = torch.from_numpy(g.standard_normal((60, 2))), torch.from_numpy(g.random((60, 1)))
    labels = np.arange(60) // 5
    less = Given(z, 3, labels)
    for fold in less.folds:
        assert not set(labels[fold]) & set(np.delete(labels, fold))
    residuals, targets = less.columns(x), torch.special.ndtri(by_rank(x)).numpy()
    design, fold = design_of(z, 3).numpy(), less.folds[2].numpy()
    kept = np.delete(np.arange(60), fold)
    centre, level = design[kept].mean(0), targets[kept].mean()
    h, y = design[kept] - centre, targets[kept] - level
    squares = np.linalg.svd(h)[1] ** 2
    ridges = [
        np.linalg.solve(h.T @ h + lam * squares.mean() * np.eye(len(h.T)), h.T @ y)
        for lam in PENALTIES.numpy()
    ]
    predicted = [level + (design[fold] - centre) @ ridge for ridge in ridges]
    apart = [np.abs(targets[fold] - one - residuals[fold].numpy()).max() for one in predicted]
    assert min(apart) < 1e-9


def test_blocks_keep_the_level_for_slow_series():
    plain, blocks = [], []
    for i in range(40):
        noise = rng(9, i).standard_normal((2, 400))
        for t in range(1, 400):
            noise[:, t] += 0.8 * noise[:, t - 1]
        plain.append(ln.dependence(*noise, permutations=39, seed=i).p_value <= 0.05)
        blocks.append(ln.dependence(*noise, permutations=39, blocks=40, seed=i).p_value <= 0.05)
    assert np.mean(plain) > 0.25
    assert np.mean(blocks) < 0.2


def test_bits_are_those_of_the_formula():
    cross = torch.tensor([[0.5, 0.0], [0.0, 0.25], [0.0, 0.0]], dtype=torch.float64)
    left = torch.eye(3, dtype=torch.float64) * 3**0.5
    bits = code_bits(left, 3**0.5 * cross)
    assert float(bits) == pytest.approx(0.5 * np.log2(1.25 * 1.0625))


def test_of_many_rows_some_are_permuted():
    g = rng(11)
    x, y = g.standard_normal((20_001, 1)), g.standard_normal((20_001, 1))
    result = ln.dependence(x, y, permutations=199)
    assert "scaled to all" in result.rearranged and result.p_value > 0.05
    assert ln.dependence(x, y + 0.05 * x**2).p_value == 0.001


def test_same_seed_same_answer_and_inputs_of_any_kind():
    import pandas

    g = rng(12)
    x, y = g.standard_normal((40, 2)), g.standard_normal(40)
    first = ln.dependence(x, y, permutations=49)
    frame = pandas.DataFrame(x, columns=["a", "b"])
    for other in (frame, torch.from_numpy(x), x.tolist()):
        assert ln.dependence(other, y, permutations=49).to_dict() == first.to_dict()
    assert ln.dependence(x, y, permutations=49, seed=1).null_statistics != first.null_statistics
    assert random_features(torch.from_numpy(x), 0).rows.shape == (40, 1, 80)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1.0, np.nan, 3, 4, 5], [1, 2, 3, 4, 5]), "x must be finite, got NaN in row 1, column 0"),
        (([1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5]), "as many rows in each, got x 6, y 5"),
        (([1, 2, 3], [1, 2, 3]), "x must have at least 5 rows to be tested, got 3"),
        ((["a"] * 9, [1] * 9), "x must be numbers"),
        ((np.ma.masked_array([1.0] * 9, [1] + [0] * 8), [1] * 9), "x must be complete"),
        ((np.zeros((9, 2, 2)), [1] * 9), r"x must be \(num_rows, columns\)"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(arguments, message):
    with pytest.raises(UserError, match=message):
        ln.dependence(*arguments)


def test_bad_options_are_refused_in_one_sentence():
    x = np.arange(30.0)
    for options, message in (
        ({"permutations": 0}, "permutations must be a positive integer"),
        ({"blocks": 10}, "blocks of 10 rows need at least 50 rows"),
        ({"blocks": 2, "groups": np.arange(30) // 2}, "either blocks or groups, got both"),
        ({"groups": [1, 2]}, "one group for each of 30 rows"),
        ({"groups": np.arange(30) // 10}, "at least five groups of one size"),
        ({"seed": -1}, "seed must be"),
    ):
        with pytest.raises(UserError, match=message):
            ln.dependence(x, x, **options)


def test_command_prints_draws_and_writes_json(tmp_path, capsys):
    import json

    g = rng(13)
    t = g.uniform(0, 6.28, 80)
    table = np.column_stack([np.cos(t), np.sin(t), g.standard_normal(80)])
    path = tmp_path / "t.csv"
    np.savetxt(path, table, delimiter=",", header="a,b,c", comments="")
    plot = tmp_path / "p.png"
    assert main(["depend", str(path), "--x", "a", "--y", "b", "--plot", str(plot)]) == 0
    assert "x and y depend on each other (p <= 0.001)" in capsys.readouterr().out
    assert plot.read_bytes().startswith(b"\x89PNG")
    command = ["depend", str(path), "--x", "a", "--y", "b", "--given", "c", "--json"]
    assert main([*command, "--permutations", "99"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["p_value"] == 0.01 and found["given"] == ["c"] and found["given_dim"] == 1
    assert main(["depend", str(path), "--x", "a", "--y", "nothing"]) == 2
    assert ln.dependence(table[:, :2], table[:, 2]).plot().axes
