"""The Triton kernels against the plain path in float64, forward and backward."""

from __future__ import annotations

import pytest
import torch

pytest.importorskip("triton", reason="the kernels are compiled by triton, which is not installed")
if not torch.cuda.is_available():
    pytest.skip("the kernels need a CUDA device", allow_module_level=True)

from learnable_novelty.observer import reservoirs
from learnable_novelty.observer.observer import Observer
from novelty_lab.systems.fused import step
from novelty_lab.systems.neural import EPSILON, MOMENTUM, NeuralCA

DEVICE = "cuda"
# What a product of rounded factors may be off by, relative to the norm of the whole: TF32 has a
# mantissa of 10 bits, bfloat16 of 7; a sum of many is closer than its terms.
FORWARD = {torch.float32: 3e-3, torch.bfloat16: 2e-2}
BACKWARD = {torch.float32: 2e-2, torch.bfloat16: 1e-1}

both_updates = pytest.mark.parametrize("update", ["residual", "direct"])


@pytest.fixture(autouse=True)
def tf32():
    matmul, cudnn = torch.backends.cuda.matmul, torch.backends.cudnn
    held = matmul.allow_tf32, cudnn.allow_tf32
    matmul.allow_tf32 = cudnn.allow_tf32 = True
    yield
    matmul.allow_tf32, cudnn.allow_tf32 = held


def chance(seed):
    return torch.Generator().manual_seed(seed)


def pair(update, hidden=16, radius=2, hidden_dtype=torch.float32):
    """Two equal rules: one in float64 for the plain path, one for the kernels."""
    fused = NeuralCA(update, hidden=hidden, radius=radius, hidden_dtype=hidden_dtype)
    with torch.no_grad():
        for place, parameter in enumerate(fused.parameters()):
            parameter.add_(0.1 * torch.randn(parameter.shape, generator=chance(place)))
    plain = NeuralCA(update, hidden=hidden, radius=radius)
    plain.load_state_dict(fused.state_dict())
    return plain.double().to(DEVICE), fused.to(DEVICE)


def states(samples, width):
    drawn = torch.randn(samples, width, 2, generator=chance(50))
    return (drawn / drawn.norm(dim=-1, keepdim=True) + 0.1 * drawn).to(DEVICE)


def advance(rule, values):
    how = step.Rule(rule.radius, rule.update == "residual", MOMENTUM, EPSILON, rule.hidden_dtype)
    return step.fused_step(values, how, rule.lift, rule.layers[0], rule.project)


def distance(found, expected):
    """How far apart, relative to the norm of what is expected."""
    found, expected = found.detach(), expected.detach()
    return float((found.double() - expected).norm() / expected.norm())


@both_updates
@pytest.mark.parametrize(
    "hidden_dtype", [torch.float32, torch.bfloat16], ids=["float32", "bfloat16"]
)
@pytest.mark.parametrize(
    ("samples", "width", "hidden", "radius"),
    [(5, 24, 16, 2), (40, 3, 32, 2), (60, 1, 16, 1), (7, 37, 64, 3), (600, 64, 128, 2)],
)
def test_steps_moments_and_gradients_equal_those_of_the_plain_path(
    update, hidden_dtype, samples, width, hidden, radius
):
    plain, fused = pair(update, hidden, radius, hidden_dtype)
    changes = []
    plain.project.register_forward_hook(lambda module, given, made: changes.append(made.detach()))
    x = states(samples, width)
    ours, theirs = x.clone().requires_grad_(), x.double().requires_grad_()
    found, expected = advance(fused, ours), plain.advance(theirs)
    # Rounding weighs as one over the length that a site is divided by: weighted by that length,
    # one short vector does not drown the others.
    before = changes[0].view_as(x) + (x if update == "residual" else 0.0)
    length = before.norm(dim=-1, keepdim=True)
    assert distance(found * length, expected * length) < FORWARD[hidden_dtype]
    assert torch.allclose(found.norm(dim=-1), torch.ones_like(found[..., 0]), atol=1e-5)
    weight = torch.randn(x.shape, generator=chance(60)).to(DEVICE) * length
    (found * weight).sum().backward()
    (expected * weight).sum().backward()
    assert distance(ours.grad, theirs.grad) < BACKWARD[hidden_dtype]
    for (name, one), other in zip(fused.named_parameters(), plain.parameters(), strict=True):
        assert distance(one.grad, other.grad) < BACKWARD[hidden_dtype], name
    for (name, one), other in zip(fused.named_buffers(), plain.buffers(), strict=True):
        assert distance(one, other) < FORWARD[hidden_dtype], name


def test_a_site_whose_change_is_zero_gets_the_first_axis_and_no_gradient():
    _, rule = pair("direct")
    with torch.no_grad():
        rule.project.weight.zero_()
        rule.project.bias.zero_()
    x = states(5, 24).requires_grad_()
    following = advance(rule, x)
    following.sum().backward()
    assert torch.equal(following[..., 0], torch.ones_like(following[..., 0]))
    assert torch.equal(following[..., 1], torch.zeros_like(following[..., 1]))
    assert torch.equal(x.grad, torch.zeros_like(x))
    assert all(torch.equal(p.grad, torch.zeros_like(p)) for p in rule.parameters())


def test_the_automaton_takes_the_kernels_where_it_may(monkeypatch):
    calls = []
    kernels = step.fused_step

    def spy(*arguments):
        calls.append(1)
        return kernels(*arguments)

    monkeypatch.setattr(step, "fused_step", spy)
    plain, fused = pair("residual")
    x = states(5, 24).mT
    fused(x)
    assert len(calls) == 1
    plain(x.double())
    fused.eval()(x)
    fused.train()
    torch.backends.cuda.matmul.allow_tf32 = False
    fused(x)
    assert len(calls) == 1, "float64, a fixed rule, or exact products are none of theirs"


@both_updates
def test_score_and_gradient_of_the_whole_chain_equal_those_in_float64(update):
    plain, fused = pair(update, 64)
    observer = Observer(reservoirs.Conv1d(2, 64, 3), ridge_penalty=0.3)
    x = states(200, 64).mT.contiguous()
    scores, gradients = [], []
    for rule, inputs in ((plain, x.double()), (fused, x)):
        # One step: rounding grows from step to step, as the automaton takes states apart.
        score = observer(inputs, rule.window(inputs, 1))
        score.backward()
        scores.append(float(score.detach()))
        gradients.append(torch.cat([p.grad.double().flatten() for p in rule.parameters()]))
    assert scores[1] == pytest.approx(scores[0], rel=1e-2)
    assert float(torch.cosine_similarity(*gradients, dim=0)) > 0.99
    assert float(gradients[1].norm()) == pytest.approx(float(gradients[0].norm()), rel=0.05)
