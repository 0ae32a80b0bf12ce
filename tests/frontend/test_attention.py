"""Attention as people write it in PyTorch: one kernel, and right where it runs."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

import mbc
from mbc.api.check import check_random
from mbc.api.module import import_model
from mbc.codegen.families import match_kernel
from mbc.codegen.targets import module_target
from mbc.ir.kernel import kernels
from mbc.ir.ops.attention import AttentionOp
from mbc.runtime.outcome import EmitOnly
from mbc.runtime.runner import runner_for
from tests.frontend.support import Function

Scores = Callable[..., Tensor]


class CausalAttention(nn.Module):
    """Heads are cut out of one projection; a buffer says what comes later."""

    def __init__(self, width: int = 12, heads: int = 3, length: int = 7):
        super().__init__()
        self.heads = heads
        self.project = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        seen = torch.tril(torch.ones(length, length))
        self.register_buffer("seen", seen.view(1, 1, length, length))

    def forward(self, x: Tensor) -> Tensor:
        batch, length, width = x.size()
        shape = (batch, length, self.heads, width // self.heads)
        q, k, v = (
            part.view(shape).transpose(1, 2)
            for part in self.project(x).split(width, dim=2)
        )
        scores = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        seen = self.seen[:, :, :length, :length]
        scores = scores.masked_fill(seen == 0, float("-inf"))
        y = F.softmax(scores, dim=-1) @ v
        return self.out(y.transpose(1, 2).contiguous().view(batch, length, width))


def by_hand(scores: Scores) -> Scores:
    def attention(q: Tensor, k: Tensor, v: Tensor, *masks: Tensor) -> Tensor:
        return F.softmax(scores(q @ k.transpose(-2, -1) / 2, *masks), dim=-1) @ v

    return attention


def tril_of_ones(scores: Tensor) -> Tensor:
    length = scores.size(-1)
    seen = torch.tril(torch.ones(length, length))
    return scores.masked_fill(seen == 0, float("-inf"))


def triu_of_truth(scores: Tensor) -> Tensor:
    length = scores.size(-1)
    later = torch.triu(torch.ones(length, length, dtype=torch.bool), diagonal=1)
    return scores.masked_fill(later, float("-inf"))


def einsums(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    weights = torch.softmax(torch.einsum("bqhd,bkhd->bhqk", q, k) / 2, -1)
    return torch.einsum("bhqk,bkhd->bqhd", weights, v)


HEADS = (2, 3, 5, 4)
SQUARE = (HEADS,) * 3
BY_HAND: dict[str, tuple[Scores, tuple[tuple[int, ...], ...], bool]] = {
    "plain": (by_hand(lambda s: s), (HEADS, (2, 3, 7, 4), (2, 3, 7, 6)), False),
    "tril": (by_hand(tril_of_ones), SQUARE, True),
    "triu": (by_hand(triu_of_truth), SQUARE, True),
    "added": (by_hand(lambda s, m: s + m), (*SQUARE, (5, 5)), False),
    "padding": (
        by_hand(lambda s, m: s.masked_fill(m[:, None, None, :] > 1, float("-inf"))),
        (*SQUARE, (2, 5)),
        False,
    ),
    "where": (
        by_hand(lambda s, m: torch.where(m > 0, s, float("-inf"))),
        (*SQUARE, (2, 1, 5, 5)),
        False,
    ),
    "einsum": (einsums, SQUARE, False),
    "batch": (by_hand(lambda s: s), ((4, 5, 6),) * 3, False),
}


def attentions(artifact: mbc.Artifact) -> list[AttentionOp]:
    return [op for op in artifact.module.walk() if isinstance(op, AttentionOp)]


@pytest.mark.parametrize("name", BY_HAND)
def test_it_is_recognized(name: str):
    function, shapes, causal = BY_HAND[name]
    inputs = [torch.randn(shape) for shape in shapes]
    artifact = mbc.lower(import_model(Function(function), inputs), target="rvv")
    (found,) = attentions(artifact)
    assert found.bool_of("causal") == causal


@pytest.mark.parametrize("target", ["rvv", "opencl", "cuda"])
def test_a_hand_written_block_is_one_attention_kernel(target: str):
    torch.manual_seed(0)
    model = CausalAttention().eval()
    module = import_model(model, [torch.randn(2, 7, 12)])
    artifact = mbc.lower(module, target=target)
    families = [
        match_kernel(k, module_target(artifact.module)).family
        for k in kernels(artifact.module)
    ]
    assert families.count("attention") == 1
    assert families.count("contract") == 2
    assert "rowwise" not in families
    runner = runner_for(target)
    available = runner.availability()
    if isinstance(available, EmitOnly):
        pytest.skip(available.reason)
    artifact.use_runner(runner)
    try:
        report = check_random(artifact, module)
        assert report.passed, report.text
        x = torch.randn(2, 7, 12)
        with torch.no_grad():
            np.testing.assert_allclose(artifact(x), model(x), rtol=1e-4, atol=1e-5)
    finally:
        runner.close()


@pytest.mark.parametrize("target", ["rvv", "opencl", "cuda"])
def test_rows_without_keys_are_nan_as_their_softmax_is(target: str):
    """PyTorch's own attention gives zeros there; what was written gives NaN."""
    function, shapes, _ = BY_HAND["where"]
    inputs = [torch.randn(shape) for shape in shapes]
    inputs[3][0, 0, 2] = -1.0
    artifact = mbc.lower(import_model(Function(function), inputs), target=target)
    assert len(attentions(artifact)) == 1
    runner = runner_for(target)
    available = runner.availability()
    if isinstance(available, EmitOnly):
        pytest.skip(available.reason)
    artifact.use_runner(runner)
    try:
        found = np.asarray(artifact(*inputs))
    finally:
        runner.close()
    wanted = function(*inputs).numpy()
    assert np.isnan(wanted[0, :, 2]).all()
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)
