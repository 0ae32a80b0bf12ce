"""What passes refuse, and shapes of input that they must leave right."""

from __future__ import annotations

from pathlib import Path

import pytest
from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, ModuleOp, f32, i64
from xdsl.dialects.linalg.ops import IndexOp
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from mbc.errors import MbcError, PassRefused
from mbc.ir import build
from mbc.ir.arithmetic import add, multiply
from mbc.ir.context import new_context
from mbc.ir.kernel import kernels
from mbc.ir.text import print_module
from mbc.ir.types import tensor
from mbc.passes.pipeline import parse
from mbc.passes.pipeline import run as apply
from tests.ir.samples import floats, module_of, named
from tests.passes.programs import (
    arguments,
    assert_same,
    exp,
    mlp,
    pointwise,
    residual_norm,
    run,
    tanh,
)

FORMED = "assign-target{target=rvv},canonicalize,form-kernels"


def formed(module: ModuleOp, more: str = "") -> ModuleOp:
    apply(new_context(), module, parse(FORMED + more))
    return module


def labels(module: ModuleOp) -> list[str]:
    return [kernel.label.data for kernel in kernels(module)]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("fuse-elementwise{kernel=k2}", "no operand comes from another kernel"),
        ("fuse-epilogue{kernel=k3}", "the kernel is not one elementwise operation"),
        ("fuse-prologue{kernel=k1}", "the kernel has elementwise work only"),
        (
            "pack-operand{kernel=k0 operand=1 tile=3}",
            "the kernel reads in panels only operand 1 in tiles of",
        ),
        ("pack-operand{kernel=k5}", "the kernel reads no operand in panels"),
        ("set-vector{kernel=k0 width=3}", "vector 3 is not one of"),
    ],
)
def test_refusals_are_short_sentences(text: str, reason: str):
    module = formed(mlp())
    before = print_module(module)
    if text.startswith("fuse-elementwise"):
        text = text.replace("k2", "k0")
    with pytest.raises(PassRefused) as refused:
        apply(new_context(), module, parse(text))
    assert refused.value.reason.startswith(reason)
    assert "%" not in refused.value.reason
    assert "\n" not in refused.value.reason
    assert print_module(module) == before


def test_a_source_keeps_its_kernel(tmp_path: Path):
    (tmp_path / "k.c").write_text("void k1();")
    module = formed(mlp(), f',use-source{{kernel=k1 file="{tmp_path}/k.c"}}')
    with pytest.raises(PassRefused, match="a source of its own"):
        apply(new_context(), module, parse("fuse-epilogue{kernel=k1}"))
    text = print_module(module)
    assert text.count("mbc.source @s_") == 1
    apply(
        new_context(), module, parse(f'use-source{{kernel=k1 file="{tmp_path}/k.c"}}')
    )
    assert print_module(module) == text


@pytest.mark.parametrize("content", [b"", b"\xff\xfe"])
def test_a_source_is_text(tmp_path: Path, content: bytes):
    (tmp_path / "k.c").write_bytes(content)
    with pytest.raises(PassRefused):
        formed(mlp(), f',use-source{{kernel=k0 file="{tmp_path}/k.c"}}')


def test_labels_are_not_used_again():
    module = formed(residual_norm(), ",fuse-elementwise,fuse-reduction")
    assert labels(module) == ["k3"]
    apply(new_context(), module, parse("form-kernels"))
    assert labels(module) == ["k3"]
    (kernel,) = kernels(module)
    assert sorted(kernel.origin_labels()) == ["k0", "k1", "k2"]


def test_a_costly_broadcast_producer_is_fused_only_on_request():
    def body(x: SSAValue, y: SSAValue):
        return pointwise(multiply, x, pointwise(exp, y))

    module = formed(module_of(floats((64, 8), (8,)), body), ",fuse-elementwise")
    assert labels(module) == ["k0", "k1"]
    apply(new_context(), module, parse("fuse-elementwise{kernel=k1}"))
    assert labels(module) == ["k1"]


def test_work_on_parameters_is_not_fused_into_every_call():
    def body(x: SSAValue, w: SSAValue):
        return pointwise(add, x, pointwise(tanh, w))

    types = floats((4, 8), (4, 8))
    module = formed(module_of(types, body, parameters=(1,)), ",fuse-elementwise")
    assert labels(module) == ["k0", "k1"]


def test_a_producer_that_stands_between_is_refused():
    """k1 reads k0 too and stands before k2: joining k0 into k2 would come too late."""

    def body(x: SSAValue):
        first = pointwise(exp, x)
        top = named("reduce", first, kind="max", axes=(0,), keepdims=True)
        total = named("reduce", first, kind="sum", axes=(1,), keepdims=True)
        return top, total

    module = formed(module_of(floats((4, 8)), body))
    with pytest.raises(PassRefused, match="needed before the consumer runs"):
        apply(new_context(), module, parse("fuse-reduction{kernel=k2}"))


def test_constants_move_into_bodies_and_kernels():
    def body(x: SSAValue):
        dense = DenseIntOrFPElementsAttr.from_list(tensor((3,), f32), [1.0, 2.0, -0.0])
        splat = DenseIntOrFPElementsAttr.from_list(tensor((2, 3), f32), [0.5] * 6)
        varied, same = (arith.ConstantOp(d).result for d in (dense, splat))
        return pointwise(add, pointwise(multiply, x, same), varied), same

    module = module_of(floats((2, 3)), body)
    arrays = arguments(module)
    before = run(module, arrays)
    formed(module, ",fuse-elementwise")
    assert_same(before, run(module, arrays))
    assert [len(kernel.ins) for kernel in kernels(module)] == [0, 1, 1]


def test_a_generic_that_reads_its_init_is_no_map():
    def body(x: SSAValue, y: SSAValue):
        maps = [build.identity_map(1)] * 2
        first = build.generic([x], [y], maps, ["parallel"], add)[0]
        return pointwise(exp, first)

    module = module_of(floats((4,), (4,)), body)
    arrays = arguments(module)
    before = run(module, arrays)
    formed(module)
    with pytest.raises(PassRefused, match="one elementwise operation"):
        apply(new_context(), module, parse("fuse-elementwise{kernel=k1}"))
    assert_same(before, run(module, arrays))


def test_a_producer_of_indices_that_are_not_known_is_refused():
    """The consumer reads backwards: the producer's own index is no axis there."""

    def body(x: SSAValue):
        def place(v: SSAValue) -> SSAValue:
            index = arith.IndexCastOp(IndexOp(0).result, i64).result
            return add(v, arith.SIToFPOp(index, f32).result)

        backwards = AffineMap(1, 0, (AffineExpr.constant(3) - AffineExpr.dimension(0),))
        return build.elementwise([pointwise(place, x)], (4,), f32, exp, [backwards])

    module = formed(module_of(floats((4,)), body), ",fuse-elementwise")
    assert labels(module) == ["k0", "k1"]
    with pytest.raises(PassRefused, match="indices that the consumer changes"):
        apply(new_context(), module, parse("fuse-elementwise{kernel=k1}"))


def test_an_empty_module_is_one_sentence():
    for text in ("form-kernels", "hoist-parameters", "fold-batch-norm"):
        with pytest.raises(MbcError, match="the module has no function @forward"):
            apply(new_context(), ModuleOp([]), parse(text))
