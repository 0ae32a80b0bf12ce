"""Operands of contractions in other layouts mean the same, and run."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

import mbc
from mbc.api.check import check_random
from mbc.codegen.families import match_kernel
from mbc.codegen.targets import TARGETS, module_target
from mbc.errors import PassRefused
from mbc.ir.arithmetic import add
from mbc.ir.context import new_context
from mbc.ir.execute import execute
from mbc.ir.kernel import kernel_by_label, kernels
from mbc.ir.ops.contract import ContractOp
from mbc.ir.text import print_module
from mbc.passes.choose_layout import ChooseLayoutPass
from mbc.passes.pipeline import parse, pass_text, run
from mbc.runtime.outcome import EmitOnly
from mbc.runtime.runner import runner_for
from tests.ir.samples import floats, module_of, random_arrays
from tests.passes.programs import assert_same, pointwise, tanh

EQUATIONS = {
    "mk,nk->mn": ((5, 7), (11, 7)),
    "km,kn->mn": ((7, 5), (7, 11)),
    "bhqd,bhkd->bhqk": ((2, 3, 5, 4), (2, 3, 7, 4)),
    "mk,k->m": ((5, 7), (7,)),
}


def product(equation: str) -> ModuleOp:
    def body(a: SSAValue, b: SSAValue) -> SSAValue:
        return pointwise(tanh, ContractOp.einsum(equation, a, b).result)

    return module_of(floats(*EQUATIONS[equation]), body, parameters=(1,))


def fused(module: ModuleOp, target: str) -> ModuleOp:
    pipeline = f"assign-target{{target={target}}},form-kernels,fuse-epilogue"
    run(new_context(), module, parse(pipeline))
    return module


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("equation", EQUATIONS)
def test_every_layout_keeps_meaning_and_family(equation: str, target: str):
    module = fused(product(equation), target)
    arrays = random_arrays(floats(*EQUATIONS[equation]))
    wanted = execute(module, arrays, "float64")
    space = ChooseLayoutPass.schedule_space(new_context(), module)
    assert len(space) >= sum(len(shape) > 1 for shape in EQUATIONS[equation])
    for instance in space:
        _, changed = instance.apply_to_clone(new_context(), module)
        changed.verify()
        kernel = kernel_by_label(changed, instance.kernel)
        assert match_kernel(kernel, module_target(changed)).family == "contract"
        assert_same(wanted, execute(changed, arrays, "float64"))


def test_an_operand_that_the_epilogue_reads_too_is_refused():
    def body(a: SSAValue, b: SSAValue) -> SSAValue:
        return pointwise(add, ContractOp.einsum("mk,nk->mn", a, b).result, a)

    module = fused(module_of(floats((5, 5), (5, 5)), body), "rvv")
    (kernel,) = kernels(module)
    read = [i.operand for i in ChooseLayoutPass.schedule_space(new_context(), module)]
    assert len(read) == 1
    other = ChooseLayoutPass(kernel.label.data, 1 - read[0], (1, 0))
    with pytest.raises(PassRefused, match="contractions alone read"):
        other.apply(new_context(), module)


def test_a_layout_without_templates_is_refused():
    """Rows of two loops are one loop only while the operand keeps them together."""
    module = module_of(
        floats((3, 5, 7), (7, 11)),
        lambda a, b: ContractOp.einsum("abk,kn->abn", a, b).result,
    )
    module = fused(module, "rvv")
    with pytest.raises(PassRefused, match="leave the contract family"):
        ChooseLayoutPass("k0", 0, (1, 0, 2)).apply(new_context(), module)
    legal = ChooseLayoutPass.schedule_space(new_context(), module)
    assert (1, 0, 2) not in [i.order for i in legal if i.operand == 0]


@pytest.mark.parametrize("target", TARGETS)
def test_layouts_run(target: str):
    """Of a parameter, moved once in @prepare, and of an input, in every call."""
    runner = runner_for(target)
    available = runner.availability()
    if isinstance(available, EmitOnly):
        pytest.skip(available.reason)
    model = nn.Sequential(nn.Linear(8, 12), nn.ReLU(), nn.Linear(12, 6)).eval()
    module = mbc.import_model(model, [torch.randn(5, 8)])
    plain = mbc.lower(module, target=target, pipeline="form-kernels,fuse-epilogue")
    space = ChooseLayoutPass.schedule_space(new_context(), plain.module)
    found = {(i.kernel, i.operand): pass_text(i) for i in space}
    steps = ",".join(found.values())
    pipeline = f"form-kernels,fuse-epilogue,{steps},hoist-parameters"
    artifact = mbc.lower(module, target=target, pipeline=pipeline)
    assert len(found) > 2
    assert "@prepare" in print_module(artifact.module)
    artifact.use_runner(runner)
    try:
        report = check_random(artifact, module)
        assert report.passed, report.text
    finally:
        runner.close()
