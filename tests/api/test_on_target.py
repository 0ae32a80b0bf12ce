"""A problem on a target: what is emitted, run, found wrong, and not run twice."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from mbc.api.distinct_kernels import (
    MOST_FLOPS,
    body_names,
    distinct_kernels,
    joined,
    reduced,
)
from mbc.api.on_target import WIDE, Checked, OnTarget, Wrong
from mbc.codegen.program import Program
from mbc.codegen.targets import target_named
from mbc.ir.attributes import TARGET
from mbc.ir.context import new_context
from mbc.ir.cost import flops
from mbc.ir.execute import function_named
from mbc.ir.kernel import kernels
from mbc.ir.text import parse_module
from mbc.ir.types import NUMPY_DTYPES
from mbc.passes.pipeline import parse, run
from mbc.runtime.inputs import random_arguments
from mbc.runtime.outcome import Completed, RunOutcome
from mbc.runtime.runner import Arrays, runner_for

TWO_PRODUCTS = """
#x = affine_map<(b, n, k) -> (b, k)>
#w = affine_map<(b, n, k) -> (k, n)>
#y = affine_map<(b, n, k) -> (b, n)>
func.func @forward(%x: tensor<200x300xf32>,
                   %w: tensor<300x400xf32> {mbc.parameter = "w"},
                   %v: tensor<400x300xf32> {mbc.parameter = "v"})
    -> tensor<200x300xf32> {
  %a = mbc.contract %x, %w {indexing_maps = [#x, #w, #y], acc = "f32"}
    : (tensor<200x300xf32>, tensor<300x400xf32>) -> tensor<200x400xf32>
  %b = mbc.contract %a, %v {indexing_maps = [#x, #w, #y], acc = "f32"}
    : (tensor<200x400xf32>, tensor<400x300xf32>) -> tensor<200x300xf32>
  return %b : tensor<200x300xf32>
}
"""
SMALL = TWO_PRODUCTS.replace("200", "4").replace("300", "5").replace("400", "6")


@dataclass
class Zeros:
    """A runner on which every result is 0."""

    imitates: bool
    ran: list[Program] = field(default_factory=list[Program])
    built: list[Program] = field(default_factory=list[Program])

    def emulates(self) -> bool:
        return self.imitates

    def compile_check(self, program: Program) -> RunOutcome:
        self.built.append(program)
        return Completed({})

    def run(self, program: Program, inputs: Arrays) -> RunOutcome:
        self.ran.append(program)
        zeros = {
            b.name: np.zeros(b.shape, NUMPY_DTYPES[b.dtype]) for b in program.outputs
        }
        return Completed(zeros)


def formed(text: str, target: str = "rvv") -> ModuleOp:
    chosen = target_named(target)
    module = parse_module(text)
    module.attributes[TARGET] = chosen.attribute()
    run(new_context(), module, parse(chosen.model_pipeline))
    return module


def subject(text: str, runner: Any, target: str = "rvv") -> OnTarget:
    module = parse_module(text)
    block = function_named(module, "forward").body.block
    values = dict(zip(("arg0", "w", "v"), random_arguments(block, 0), strict=False))
    return OnTarget(module, values, target_named(target), runner)


def test_a_kernel_is_halved_until_it_is_small_and_has_tails():
    kernel, _ = kernels(formed(TWO_PRODUCTS))
    small = reduced(kernel)
    assert small is not None
    assert MOST_FLOPS / 8 < flops(small) <= MOST_FLOPS
    shape = small.operand_tensors()[0].get_shape()
    assert all(extent % 2 for extent in shape)


def test_what_computes_the_same_is_one_kernel_and_known_ones_are_left_out():
    module = formed(TWO_PRODUCTS.replace("200", "300").replace("400", "300"))
    assert len(list(kernels(module))) == 2
    found = distinct_kernels(module, ())
    assert found.too_large == ()
    (one,) = found.reduced
    assert one.constant == (False, True)
    assert distinct_kernels(module, {one.key}).reduced == ()


def test_joined_kernels_share_nothing_and_keep_their_parameters():
    module = formed(SMALL)
    found = distinct_kernels(module, ())
    both = joined(found.reduced, module)
    both.verify()
    function = function_named(both, "forward")
    assert len(function.body.block.args) == 2 * len(found.reduced)
    assert both.attributes[TARGET] == module.attributes[TARGET]
    for kernel in kernels(both):
        assert body_names(kernel) == "mbc.contract"


@pytest.mark.parametrize("imitates", [True, False])
def test_wrong_results_are_found_wherever_programs_run(imitates: bool):
    runner = Zeros(imitates)
    found = subject(SMALL, runner).checked(())
    assert isinstance(found, Wrong)
    assert "elements are out of bounds" in found.reason
    assert dict(found.emitted.families) == {"contract": 2, "move": 2}
    assert bool(runner.built) == imitates


def test_a_large_model_is_built_but_not_run_whole_by_an_emulator():
    large = TWO_PRODUCTS.replace("400", "4000")
    module = formed(large)
    known = {one.key for one in distinct_kernels(module, ()).reduced}
    runner = Zeros(True)
    found = subject(large, runner).checked(known)
    assert isinstance(found, Checked)
    assert not found.whole
    assert (found.keys, runner.ran) == ((), [])
    assert runner.built


def test_a_right_model_runs_whole_and_alone():
    runner = runner_for("rvv")
    found = subject(SMALL, runner).checked(())
    assert isinstance(found, Checked)
    assert found.whole
    assert len(found.keys) == 2
    assert 0 < found.share <= 1
    assert found.emitted.fallbacks == ()


def test_float64_is_seen_in_every_language():
    for text in ("double x", "double4 y", "__riscv_vfadd_vv_f64m2(a, b, vl)"):
        assert WIDE.search(text)
    assert not WIDE.search("float doubled = 2.0f; // doubles")
