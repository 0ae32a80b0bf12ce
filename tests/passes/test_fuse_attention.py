"""Attention written by hand: what is one, what is none, and that both mean the same."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp, f16, f32, i1
from xdsl.dialects.linalg.ops import IndexOp
from xdsl.ir import Attribute, SSAValue

from mbc.errors import PassRefused
from mbc.ir import build
from mbc.ir.arithmetic import add, constant, multiply
from mbc.ir.context import new_context
from mbc.ir.execute import execute
from mbc.ir.kernel import KernelOp, kernels
from mbc.ir.ops.attention import AttentionOp
from mbc.ir.ops.contract import ContractOp
from mbc.ir.ops.softmax import SoftmaxOp
from mbc.ir.types import Array, element_of, shape_of, tensor
from mbc.passes.fuse_attention import FuseAttentionPass
from mbc.passes.pipeline import parse, run
from tests.ir.samples import floats, module_of, random_arrays
from tests.passes.programs import assert_same

Between = Callable[..., SSAValue]
"""From scores, and masks, to what the softmax reads."""

B, H, Q, K, D, V = 2, 3, 4, 5, 6, 7
QUERY, KEY, VALUE = (B, H, Q, D), (B, H, K, D), (B, H, K, V)
SQUARE = ((B, H, Q, D), (B, H, Q, D), (B, H, Q, V))


def scaled(scores: SSAValue, factor: float = 0.5) -> SSAValue:
    element = element_of(scores)
    return each(lambda x: multiply(x, constant(factor, element)), scores)


def divided(scores: SSAValue) -> SSAValue:
    return each(lambda x: arith.DivfOp(x, constant(3.0, x.type)).result, scores)


def each(
    body: Callable[..., SSAValue], scores: SSAValue, *others: SSAValue
) -> SSAValue:
    return build.elementwise(
        [scores, *others], shape_of(scores), element_of(scores), body
    )


def hidden(x: SSAValue, mask: SSAValue, by: float = -math.inf) -> SSAValue:
    return arith.SelectOp(mask, constant(by, x.type), x).result


def kept(x: SSAValue, mask: SSAValue) -> SSAValue:
    return arith.SelectOp(mask, x, constant(-math.inf, x.type)).result


def negative(mask: SSAValue) -> SSAValue:
    """Of an additive mask, where its first element is below zero, in a body."""
    return arith.CmpfOp(mask, constant(0.0, mask.type), "olt").result


def later(shape: Sequence[int]) -> SSAValue:
    """True where a key comes after its query."""

    def body() -> SSAValue:
        rank = len(shape)
        row, column = (IndexOp(axis).result for axis in (rank - 2, rank - 1))
        return arith.CmpiOp(column, row, "sgt").result

    return build.elementwise([], shape, i1, body)


@dataclass(frozen=True)
class Case:
    """Between scores and softmax; the shapes of query, key, value and masks."""

    between: Between
    masks: tuple[tuple[int, ...], ...] = ()
    operands: tuple[tuple[int, ...], ...] = (QUERY, KEY, VALUE)
    mask_element: Attribute = i1
    element: Attribute = f32

    def types(self):
        operands = [tensor(shape, self.element) for shape in self.operands]
        return [*operands, *(tensor(m, self.mask_element) for m in self.masks)]

    def module(self) -> ModuleOp:
        def body(q: SSAValue, k: SSAValue, v: SSAValue, *masks: SSAValue):
            lead = "bhi"[: len(shape_of(q)) - 2]
            scores = ContractOp.einsum(f"{lead}qd,{lead}kd->{lead}qk", q, k).result
            weights = SoftmaxOp.along(
                self.between(scores, *masks), len(shape_of(q)) - 1
            ).result
            equation = f"{lead}qk,{lead}kv->{lead}qv"
            return ContractOp.einsum(equation, weights, v).result

        return module_of(self.types(), body)


FUSED: dict[str, Case] = {
    "plain": Case(lambda s: s),
    "scaled": Case(scaled),
    "divided": Case(divided),
    "scaled twice": Case(lambda s: scaled(divided(s), -0.25)),
    "hidden": Case(lambda s, m: each(hidden, scaled(s), m), ((Q, K),)),
    "kept": Case(lambda s, m: each(kept, scaled(s), m), ((B, 1, 1, K),)),
    "scaled behind": Case(lambda s, m: scaled(each(hidden, s, m)), ((1, H, Q, 1),)),
    "added": Case(
        lambda s, m: each(add, scaled(s), m), ((B, H, Q, K),), mask_element=f32
    ),
    "added first": Case(
        lambda s, m: each(lambda x, y: add(y, x), s, m), ((K,),), mask_element=f32
    ),
    "two masks": Case(
        lambda s, m, n: each(kept, each(hidden, s, m), n), ((Q, K), (B, H, 1, K))
    ),
    "in one body": Case(
        lambda s, m: each(
            lambda x, y: hidden(multiply(x, constant(0.5, f32)), negative(y)), s, m
        ),
        ((Q, K),),
        mask_element=f32,
    ),
    "causal": Case(lambda s: each(hidden, s, later(shape_of(s)[-2:])), operands=SQUARE),
    "wide causal": Case(lambda s: each(hidden, s, later((Q, K)))),
    "one head": Case(scaled, operands=((B, Q, D), (B, K, D), (B, K, V))),
    "no batch": Case(scaled, operands=((Q, D), (K, D), (K, V))),
    "many axes": Case(scaled, operands=((2, *QUERY), (2, *KEY), (2, *VALUE))),
}


def fused(module: ModuleOp) -> tuple[ModuleOp, list[AttentionOp]]:
    changed = module.clone()
    run(new_context(), changed, parse("fuse-attention,canonicalize"))
    changed.verify()
    found = [op for op in changed.walk() if isinstance(op, AttentionOp)]
    return changed, found


def with_masked_rows(case: Case, seed: int) -> list[Array]:
    """Whole rows of boolean masks are false, or true; an added one has -inf."""
    arrays = random_arrays(case.types(), seed)
    for mask in arrays[3:]:
        if mask.dtype == np.bool_:
            mask[..., 0, :] = seed % 2 == 0
        elif mask.ndim > 1:
            mask[..., 0, :] = -np.inf
    return arrays


@pytest.mark.parametrize("name", FUSED)
def test_it_is_one_attention_that_means_the_same(name: str):
    case = FUSED[name]
    module = case.module()
    changed, found = fused(module)
    assert len(found) == 1
    assert not any(isinstance(op, SoftmaxOp) for op in changed.walk())
    causal = "causal" in name
    assert found[0].bool_of("causal") == causal
    assert (found[0].mask is not None) == (bool(case.masks) and not causal)
    for seed in range(3):
        arrays = with_masked_rows(case, seed)
        wanted, got = (execute(m, arrays, "float64") for m in (module, changed))
        np.testing.assert_allclose(got[0], wanted[0], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", FUSED)
def test_kernels_are_joined_as_ops_are(name: str):
    module = FUSED[name].module()
    run(new_context(), module, parse("form-kernels"))
    space = FuseAttentionPass.schedule_space(new_context(), module)
    assert len(space) == 1
    changed = module.clone()
    space[0].apply(new_context(), changed)
    changed.verify()
    (found,) = [op for op in changed.walk() if isinstance(op, AttentionOp)]
    kernel = found.parent_op()
    assert isinstance(kernel, KernelOp)
    assert kernel.label.data == space[0].kernel
    arrays = random_arrays(FUSED[name].types(), 1)
    assert_same(execute(module, arrays, "float64"), execute(changed, arrays, "float64"))


def squared(scores: SSAValue) -> SSAValue:
    return each(lambda x: multiply(x, x), scores)


def rounded(scores: SSAValue) -> SSAValue:
    def body(x: SSAValue) -> SSAValue:
        return arith.ExtFOp(arith.TruncFOp(x, f16).result, f32).result

    return each(body, scores)


OTHERS: dict[str, tuple[Case, str]] = {
    "finite mask": (
        Case(lambda s, m: each(lambda x, y: hidden(x, y, -1e9), s, m), ((Q, K),)),
        "masked scores are not -inf",
    ),
    "added and hidden": (
        Case(
            lambda s, m: each(add, each(hidden, s, later((Q, K))), m),
            ((Q, K),),
            mask_element=f32,
        ),
        "a mask is added to scores that have another one",
    ),
    "scaled behind an added mask": (
        Case(lambda s, m: scaled(each(add, s, m)), ((Q, K),), mask_element=f32),
        "scaled behind their mask",
    ),
    "turned behind a mask": (
        Case(lambda s, m: scaled(each(hidden, s, m), -1.0), ((Q, K),)),
        "scaled behind their mask",
    ),
    "multiplied": (
        Case(lambda s, m: each(multiply, s, m), ((B, H, Q, K),), mask_element=f32),
        "multiplied with a tensor",
    ),
    "squared": (Case(squared), "multiplied with a tensor"),
    "rounded": (Case(rounded), "something else"),
    "half": (Case(scaled, element=f16), "elements of f32"),
    "nothing": (
        Case(scaled, operands=((Q, D), (0, D), (0, V))),
        "over nothing",
    ),
}


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_none_is_left_and_refused_by_reason(name: str):
    case, reason = OTHERS[name]
    module = case.module()
    assert fused(module)[1] == []
    run(new_context(), module, parse("form-kernels"))
    *_, last = kernels(module)
    label = last.label.data
    with pytest.raises(PassRefused, match=reason):
        FuseAttentionPass(label).apply(new_context(), module)
    assert FuseAttentionPass.schedule_space(new_context(), module) == ()


def test_weights_that_are_a_result_stay():
    def body(q: SSAValue, k: SSAValue, v: SSAValue):
        scores = ContractOp.einsum("qd,kd->qk", q, k).result
        weights = SoftmaxOp.along(scores, 1).result
        return weights, ContractOp.einsum("qk,kv->qv", weights, v).result

    assert fused(module_of(floats((Q, D), (K, D), (K, V)), body))[1] == []


@pytest.mark.parametrize("equation", ["kq,kv->qv", "qk,kv->q", "qk,kq->q"])
def test_other_sums_of_weights_stay(equation: str):
    def body(q: SSAValue, k: SSAValue, v: SSAValue):
        scores = ContractOp.einsum("qd,kd->qk", q, k).result
        weights = SoftmaxOp.along(scores, 1).result
        return ContractOp.einsum(equation, weights, v).result

    assert fused(module_of(floats((Q, D), (Q, D), (Q, Q)), body))[1] == []


LAYOUTS = {
    "rows outside": ("qbhd,kbhd->bhqk", "bhqk,kbhv->qbhv"),
    "keys first": ("bhkd,bhqd->bhqk", "bhkv,bhqk->bhvq"),
    "depth first": ("bhdq,bhdk->bhqk", "bhqk,bhvk->bhqv"),
    "batches swapped": ("hbqd,bhkd->bhqk", "bhqk,hbkv->hbqv"),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_axes_may_lie_in_any_order(name: str):
    first, last = LAYOUTS[name]
    extents = dict(b=B, h=H, q=Q, k=K, d=D, v=V)
    terms = [*first.split("->")[0].split(","), *last.split("->")[0].split(",")]
    value = next(t for t in terms[2:] if "v" in t)
    types = floats(*[tuple(extents[c] for c in t) for t in (*terms[:2], value)])

    def body(a: SSAValue, b: SSAValue, v: SSAValue):
        scores = ContractOp.einsum(first, a, b).result
        weights = scaled(scores)
        weights = SoftmaxOp.along(weights, 3).result
        pair = (v, weights) if last.startswith(value) else (weights, v)
        return ContractOp.einsum(last, *pair).result

    module = module_of(types, body)
    changed, found = fused(module)
    assert len(found) == 1
    arrays = random_arrays(types)
    assert_same(execute(module, arrays, "float64"), execute(changed, arrays, "float64"))
