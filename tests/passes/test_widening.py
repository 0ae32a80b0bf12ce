"""Convolutions of 16-bit floats keep their meaning and reach the conv family."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import bf16, f16
from xdsl.ir import Attribute, SSAValue

from mbc.codegen.families import match_kernel
from mbc.codegen.targets import target_named
from mbc.ir.attributes import TARGET
from mbc.ir.context import new_context
from mbc.ir.kernel import kernels
from mbc.ir.types import tensor
from mbc.passes.pipeline import parse, run
from tests.ir.samples import module_of, named, random_arrays
from tests.passes.programs import run as evaluate

GIVEN = {"strides": (2, 1), "low": (1, 1), "high": (1, 1), "dilation": (1, 1)}


def convolved(x: SSAValue, w: SSAValue) -> SSAValue:
    return named("conv", x, w, **GIVEN, groups=2, acc="f32")


@pytest.mark.parametrize("element", [f16, bf16], ids=str)
@pytest.mark.parametrize("target", ["rvv", "opencl", "cuda"])
def test_short_floats_take_the_templates_of_f32(target: str, element: Attribute):
    types = [tensor((2, 4, 7, 9), element), tensor((8, 2, 3, 3), element)]
    module = module_of(types, convolved, parameters=(1,))
    arrays = random_arrays(types)
    wanted = evaluate(module, arrays)
    chosen = target_named(target, {})
    module.attributes[TARGET] = chosen.attribute()
    run(new_context(), module, parse(chosen.pipeline))
    found = {match_kernel(kernel, chosen).family for kernel in kernels(module)}
    assert "conv" in found
    for mine, theirs in zip(evaluate(module, arrays), wanted, strict=True):
        near = np.asarray(theirs, np.float32)
        np.testing.assert_allclose(np.asarray(mine, np.float32), near, 0.02, 0.02)
