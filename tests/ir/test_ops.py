"""Every named op: evaluation, decomposition, costs and resizing agree."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp, f16
from xdsl.ir import SSAValue

from mbc.errors import PassRefused
from mbc.ir.context import new_context
from mbc.ir.cost import fewest_bytes, flops
from mbc.ir.decompose import decompose_ops
from mbc.ir.execute import execute
from mbc.ir.fingerprint import fingerprint, kernel_fingerprint
from mbc.ir.kernel import KernelOp, kernels, single_kernel_module
from mbc.ir.ops import OPS, op_class
from mbc.ir.ops.unpack import UnpackOp
from mbc.ir.resize import extents, resize
from mbc.ir.tensor_op import PropertyValue, TensorOp
from mbc.ir.text import parse_module, print_module
from mbc.ir.types import shape_of, tensor, tensor_type
from mbc.passes.pipeline import parse, run
from mbc.passes.support.functions import forward_of
from tests.ir.samples import SAMPLES, floats, module_of, named, random_arrays

NOT_DECOMPOSED = {
    "mbc.pack",
    "mbc.recurrent",
    "mbc.scan",
    "mbc.scatter",
    "mbc.sort",
    "mbc.unpack",
}
"""Upstream cannot say these, or only with loops."""


def arguments(module: ModuleOp, seed: int = 0):
    return random_arrays([a.type for a in forward_of(module).body.block.args], seed)


def kernel_of(name: str) -> KernelOp:
    """The kernel of the sample's own op; `form-kernels` made it."""
    module = SAMPLES[name].module()
    run(new_context(), module, parse("form-kernels"))
    (kernel,) = (k for k in kernels(module) if any(op.name == name for op in k.ops()))
    return next(kernels(single_kernel_module(kernel)))


def test_every_op_has_a_sample():
    assert set(SAMPLES) == set(OPS)


@pytest.mark.parametrize("name", OPS)
def test_definition(name: str):
    cls = op_class(name)
    assert cls.name == name
    assert cls.__doc__


@pytest.mark.parametrize("name", SAMPLES)
def test_flops_are_those_counted_by_hand(name: str):
    assert flops(SAMPLES[name].module()) == SAMPLES[name].flops


@pytest.mark.parametrize("name", SAMPLES)
def test_evaluation_is_decomposition(name: str):
    module = SAMPLES[name].module()
    lower = module.clone()
    decompose_ops(forward_of(lower).body.block)
    lower.verify()
    left = {op.name for op in lower.walk() if isinstance(op, TensorOp)}
    assert left == ({name} if name in NOT_DECOMPOSED else set())
    given = arguments(module)
    before, after = (execute(m, given, "float64") for m in (module, lower))
    for want, found in zip(before, after, strict=True):
        np.testing.assert_allclose(found, want, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("masked_rows", "wanted"), [("zero", 0.0), ("nan", np.nan)])
def test_a_row_without_scores_gives_what_the_attention_says(
    masked_rows: str, wanted: float
):
    types = [*floats(*[(1, 1, 2, 3)] * 3, (1, 1, 2, 2))]
    module = module_of(
        types,
        lambda *operands: named(
            "attention", *operands, scale=0.5, causal=False, masked_rows=masked_rows
        ),
    )
    lower = module.clone()
    decompose_ops(forward_of(lower).body.block)
    given = random_arrays(types)
    given[3][0, 0, 1] = -np.inf
    before, after = (execute(m, given, "float64")[0] for m in (module, lower))
    np.testing.assert_allclose(after, before, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(before[0, 0, 1], np.full(3, wanted))
    assert np.isfinite(before[0, 0, 0]).all()


@pytest.mark.parametrize("name", ["layer_norm", "rms_norm", "group_norm"])
def test_an_eps_below_half_precision_keeps_rows_of_zeros(name: str):
    options = {"group_norm": {"groups": 1}}.get(name, {"axes": 1})
    module = module_of(
        [tensor((2, 4), f16)], lambda x: named(name, x, eps=1e-12, **options)
    )
    decompose_ops(forward_of(module).body.block)
    module.verify()
    (result,) = execute(module, [np.zeros((2, 4), np.float16)])
    np.testing.assert_array_equal(result, np.zeros((2, 4), np.float16))


@pytest.mark.parametrize("name", SAMPLES)
def test_given_precision_is_close_to_float64(name: str):
    module = SAMPLES[name].module()
    given = arguments(module)
    for near, exact in zip(execute(module, given), execute(module, given, "float64")):
        np.testing.assert_allclose(near, exact, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", SAMPLES)
def test_text_keeps_the_kernel(name: str):
    kernel = kernel_of(name)
    module = single_kernel_module(kernel)
    again = next(kernels(parse_module(print_module(module))))
    assert kernel_fingerprint(again) == kernel_fingerprint(kernel)


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("extent", [1, 2, 7])
def test_resized_kernels_run(name: str, extent: int):
    """At other extents the results have the shapes that were inferred."""
    kernel = kernel_of(name)
    for free in extents(kernel):
        try:
            resized = resize(kernel, {free: extent})
        except PassRefused:
            continue
        assert extents(resized)[free] == extent
        given = random_arrays([arg.type for arg in resized.block.args])
        results = execute(resized, given)
        for result, out in zip(results, resized.outs, strict=True):
            assert result.shape == tuple(tensor_type(out).get_shape())


@pytest.mark.parametrize("name", SAMPLES)
def test_resizing_to_the_same_extents_changes_nothing(name: str):
    kernel = kernel_of(name)
    same = resize(kernel, extents(kernel))
    assert kernel_fingerprint(same) == kernel_fingerprint(kernel)
    assert fingerprint(kernel) == fingerprint(kernel_of(name))


def test_resize_refuses_what_is_no_free_extent():
    with pytest.raises(PassRefused, match="no free extent is called N9"):
        resize(kernel_of("mbc.softmax"), {"N9": 3})


def test_resize_refuses_a_window_larger_than_its_input():
    kernel = kernel_of("mbc.conv")
    assert extents(kernel) == {"N0": 2, "N1": 7, "N2": 6}
    with pytest.raises(PassRefused, match="the window is larger"):
        resize(kernel, {"N1": 0})


def test_a_kernel_may_take_a_value_twice():
    """Its copies have an operand each: the two may be resized apart."""
    text = """
    func.func @forward(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
      %0 = mbc.kernel "k0" (%x, %x) {
      ^bb0(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>):
        %1 = mbc.contract %a, %b {acc = "f32", indexing_maps = [
          affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
          affine_map<(m, n, k) -> (m, n)>]}
          : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
        mbc.yield %1 : tensor<4x4xf32>
      } : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      return %0 : tensor<4x4xf32>
    }"""
    module = parse_module(text)
    (kernel,) = kernels(module)
    for copy in (kernel.copy(), next(kernels(single_kernel_module(kernel)))):
        assert len(set(copy.ins)) == 2
    resized = resize(kernel, {"N0": 2})
    resized.verify()
    assert [shape_of(value) for value in resized.ins] == [(2, 4), (4, 4)]
    module.verify()


def test_free_extents():
    assert extents(kernel_of("mbc.contract")) == {"N0": 4, "N1": 6, "N2": 5}
    assert extents(kernel_of("mbc.layer_norm")) == {"N0": 4, "N1": 6}
    assert extents(kernel_of("mbc.unpack")) == {"N0": 3}


@pytest.mark.parametrize("count_padding", [True, False])
@pytest.mark.parametrize("divisor", [0, 5])
def test_averages_over_the_edge(count_padding: bool, divisor: int):
    """Windows that hang over either edge have divisors of their own."""

    def body(x: SSAValue):
        return named(
            "pool",
            x,
            kind="avg",
            window=(3, 2),
            strides=(2, 1),
            low=(1, 0),
            high=(2, 1),
            dilation=(1, 1),
            count_padding=count_padding,
            divisor=divisor,
        )

    module = module_of(floats((1, 2, 6, 5)), body)
    lower = module.clone()
    decompose_ops(forward_of(lower).body.block)
    given = arguments(module)
    before, after = (execute(m, given, "float64")[0] for m in (module, lower))
    np.testing.assert_allclose(after, before, rtol=1e-12)


def test_a_batch_may_be_empty():
    resized = resize(kernel_of("mbc.conv"), {"N0": 0})
    given = random_arrays([arg.type for arg in resized.block.args])
    assert execute(resized, given)[0].shape == (0, 8, 4, 5)


def test_bytes_are_operands_and_results():
    assert fewest_bytes(kernel_of("mbc.contract")) == 4 * (4 * 6 + 5 * 6 + 4 * 5)
    assert fewest_bytes(kernel_of("mbc.gather")) == 4 * 12 + 8 * 4 + 4 * 12


def test_packing_is_no_part_of_the_identity():
    """A kernel reads a packed operand: it is the same kernel."""
    text = """
    func.func @forward(%x: tensor<4x6xf32>, %w: tensor<5x6xf32>) -> tensor<4x5xf32> {
      %0 = mbc.contract %x, %w {acc = "f32", indexing_maps = [
        affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
        affine_map<(m, n, k) -> (m, n)>]}
        : (tensor<4x6xf32>, tensor<5x6xf32>) -> tensor<4x5xf32>
      return %0 : tensor<4x5xf32>
    }"""
    module = parse_module(text)
    run(new_context(), module, parse("assign-target{target=rvv},form-kernels"))
    before = kernel_fingerprint(next(kernels(module)))
    run(new_context(), module, parse("pack-operand{kernel=k0}"))
    packed = next(k for k in kernels(module) if k.label.data == "k0")
    assert isinstance(packed.ops()[0], UnpackOp)
    assert kernel_fingerprint(packed) == before


POOLED: dict[str, PropertyValue] = {
    "kind": "max",
    "window": (3, 2),
    "strides": (2, 1),
    "low": (1, 1),
    "high": (1, 1),
    "dilation": (1, 2),
    "count_padding": False,
    "divisor": 0,
    "indices": True,
}


@pytest.mark.parametrize(
    ("name", "properties"),
    [
        ("pool", POOLED),
        ("arg_reduce", {"kind": "min", "axis": 2, "keepdims": True, "values": True}),
        ("arg_reduce", {"kind": "max", "axis": 1, "keepdims": False, "values": True}),
    ],
    ids=["pool", "rows", "columns"],
)
def test_a_second_result_is_decomposed_too(
    name: str, properties: dict[str, PropertyValue]
):
    """Ties, infinities and NaN: the same places either way."""

    def body(x: SSAValue):
        return op_class(f"mbc.{name}").of([x], **properties).results

    module = module_of(floats((2, 3, 9, 8)), body)
    lower = module.clone()
    decompose_ops(forward_of(lower).body.block)
    lower.verify()
    rng = np.random.default_rng(0)
    x = rng.integers(-3, 4, (2, 3, 9, 8)).astype(np.float32)
    x[0, 0, 2, 3] = x[1, 2, 4] = np.nan
    x[0, 1] = -np.inf
    for want, found in zip(execute(module, [x]), execute(lower, [x]), strict=True):
        np.testing.assert_array_equal(found, want)


def test_where_a_running_extremum_was_last_met():
    def body(x: SSAValue):
        given = {"axis": 1, "exclusive": False, "indices": True}
        scan = op_class("mbc.scan")
        ahead = scan.of([x], kind="max", reverse=False, **given)
        back = scan.of([x], kind="min", reverse=True, **given)
        return [*ahead.results, *back.results]

    x = np.array([[1, 3, 2, 3, np.nan, 4]], np.float32)
    values, where, below, place = execute(module_of(floats((1, 6)), body), [x])
    np.testing.assert_array_equal(values[0, :4], [1, 3, 3, 3])
    assert where.tolist() == [[0, 1, 1, 3, 4, 4]]
    assert np.isnan(below[0, :5]).all()
    assert place.tolist() == [[4, 4, 4, 4, 4, 5]]
