"""Probes: how well labels, which training never saw, can be read from a code.

In torch, so that 60,000 codes are probed on the GPU that made them.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy, one_hot

from learnable_novelty.errors import UserError


def principal_components(train: Tensor, test: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    """Project rows onto the ``dim`` axes along which the training rows vary most."""
    if not 1 <= dim <= train.shape[1]:
        raise UserError(f"dim must be from 1 to columns={train.shape[1]}, got {dim}")
    mean = train.mean(0)
    centred = (train - mean).to(torch.float64)
    _, vectors = torch.linalg.eigh(centred.T @ centred)  # in ascending order
    axes = vectors[:, -dim:].flip(1).to(train.dtype)
    return (train - mean) @ axes, (test - mean) @ axes


def linear_probe(
    train_codes: Tensor,
    train_labels: Tensor,
    test_codes: Tensor,
    test_labels: Tensor,
    *,
    penalty: float = 1e-4,
    standardize: bool = True,
    tolerance: float = 1e-5,
    iterations: int = 2000,
) -> float:
    """Classify by multinomial logistic regression, on standardized codes unless told otherwise.

        min  mean_i CE(V z_i + b, y_i) + penalty/2 |V|^2      (L-BFGS on all codes at once)

    Args:
        train_codes: (num_train, code_dim).
        train_labels: (num_train,), integers from 0.
        test_codes: (num_test, code_dim).
        test_labels: (num_test,).
        penalty: on the weights, not on the biases; 1 / num_train is scikit-learn's default.
        standardize: take the training codes' mean off and divide by their deviation. Without it
            the penalty weighs on directions in which codes vary little, though they may tell much.
        tolerance: largest entry of the gradient at the end.
        iterations: of L-BFGS, at most.

    Returns:
        Accuracy on the test codes.

    Raises:
        RuntimeError: not converged within ``iterations``.
    """
    _check_labelled("train", train_codes, train_labels)
    _check_labelled("test", test_codes, test_labels)
    # In float64, where L-BFGS takes half as many steps to converge as in float32.
    train_codes, test_codes = train_codes.double(), test_codes.double()
    if standardize:
        mean, scale = _standard(train_codes)
        train_codes, test_codes = (train_codes - mean) / scale, (test_codes - mean) / scale
    weight, bias = fit_logistic(train_codes, train_labels, penalty, tolerance, iterations)
    return _accuracy((test_codes @ weight + bias).argmax(1), test_labels)


def _standard(codes: Tensor) -> tuple[Tensor, Tensor]:
    mean, scale = codes.mean(0), codes.std(0, correction=0)
    # The deviation of a constant column is its rounding: dividing by it would make a column of it.
    limit = 64 * torch.finfo(torch.float32).eps * codes.square().mean(0).sqrt()
    return mean, torch.where(scale > limit, scale, 1.0)


def fit_logistic(
    codes: Tensor, labels: Tensor, penalty: float, tolerance: float, iterations: int
) -> tuple[Tensor, Tensor]:
    """Fit weights (code_dim, classes) and biases (classes,) from zero; see ``linear_probe``."""
    classes = int(labels.max()) + 1
    parameters = codes.new_zeros(codes.shape[1] + 1, classes, requires_grad=True)
    optimizer = torch.optim.LBFGS(
        [parameters],
        max_iter=iterations,
        tolerance_grad=tolerance,
        tolerance_change=0.0,
        history_size=20,
        line_search_fn="strong_wolfe",
    )

    def loss() -> Tensor:
        optimizer.zero_grad()
        weight, bias = parameters[:-1], parameters[-1]
        value = cross_entropy(torch.addmm(bias, codes, weight), labels)
        value = value + penalty / 2 * weight.square().sum()
        value.backward()
        return value

    with torch.enable_grad():
        optimizer.step(loss)
        loss()
    gradient = parameters.grad
    # L-BFGS ends below the tolerance or at the end of its line; a little slack for the rounding.
    if gradient is None or not float(gradient.abs().max()) <= 10 * tolerance:
        raise RuntimeError(f"the linear probe did not converge in {iterations} iterations")
    return parameters.detach()[:-1], parameters.detach()[-1]


def nearest_neighbours(
    train_codes: Tensor,
    train_labels: Tensor,
    test_codes: Tensor,
    test_labels: Tensor,
    *,
    neighbours: int = 5,
    chunk: int = 1024,
) -> float:
    """Classify by the majority of the nearest training codes; of tied labels, the nearest wins.

    Args:
        train_codes: (num_train, code_dim).
        train_labels: (num_train,), integers from 0.
        test_codes: (num_test, code_dim).
        test_labels: (num_test,).
        neighbours: how many vote.
        chunk: test codes whose distances are computed at once.

    Returns:
        Accuracy on the test codes.
    """
    _check_labelled("train", train_codes, train_labels)
    _check_labelled("test", test_codes, test_labels)
    if not 1 <= neighbours <= len(train_codes):
        raise UserError(f"neighbours must be from 1 to {len(train_codes)}, got {neighbours}")
    # Centred: the expanded square below loses digits where codes lie far from the origin.
    mean = train_codes.mean(0)
    centred = train_codes - mean
    square = centred.square().sum(1)
    votes = [
        # |a - b|^2 less |a|^2, which is the same for all b.
        vote(train_labels[(square - 2 * part @ centred.T).topk(neighbours, largest=False).indices])
        for part in (test_codes - mean).split(chunk)
    ]
    return _accuracy(torch.cat(votes), test_labels)


def vote(labels: Tensor) -> Tensor:
    """Return the majority of each row, (rows, voters) nearest first; the first of tied labels."""
    counts = one_hot(labels).sum(1)
    leads = counts.gather(1, labels) == counts.amax(1, keepdim=True)
    return labels.gather(1, leads.to(torch.int32).argmax(1, keepdim=True)).squeeze(1)


def _accuracy(predicted: Tensor, labels: Tensor) -> float:
    return float((predicted == labels).to(torch.float64).mean())


def _check_labelled(part: str, codes: Tensor, labels: Tensor) -> None:
    if codes.ndim != 2 or labels.shape != codes.shape[:1] or len(codes) == 0:
        raise UserError(
            f"expected {part}_codes (num_samples, code_dim) and as many {part}_labels, "
            f"got {tuple(codes.shape)} and {tuple(labels.shape)}"
        )
