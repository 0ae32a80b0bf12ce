"""Kernels cut at every place: the meaning stays, and what runs is right."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from xdsl.dialects.builtin import ModuleOp

import mbc
from mbc.api.check import check_random
from mbc.errors import PassRefused
from mbc.ir.context import new_context
from mbc.ir.kernel import kernel_by_label, kernels
from mbc.ir.text import print_module
from mbc.passes.pipeline import parse, run
from mbc.passes.split_kernel import SplitKernelPass
from mbc.runtime.outcome import EmitOnly
from mbc.runtime.runner import runner_for
from tests.passes.programs import PROGRAMS, arguments, assert_same, programs
from tests.passes.programs import run as evaluate
from tests.passes.test_meaning import SLOW

FUSED = "form-kernels,fuse-elementwise,fuse-prologue,fuse-epilogue,fuse-reduction"


def check_every_cut(module: ModuleOp) -> None:
    for instance in SplitKernelPass.schedule_space(new_context(), module):
        assert instance.at is not None
        check_cut(module, instance)


def check_cut(module: ModuleOp, instance: SplitKernelPass) -> None:
    _, changed = instance.apply_to_clone(new_context(), module)
    changed.verify()
    labels = [kernel.label.data for kernel in kernels(changed)]
    assert f"{instance.kernel}_1" in labels
    assert instance.kernel not in labels
    for part in (f"{instance.kernel}_0", f"{instance.kernel}_1"):
        assert kernel_by_label(changed, part).origin_labels()[0] == instance.kernel
    arrays = arguments(module)
    assert_same(evaluate(module, arrays), evaluate(changed, arrays))


@pytest.mark.parametrize("name", ["softmax_by_hand", "residual_norm", "mlp"])
def test_fused_kernels(name: str):
    module = PROGRAMS[name]()
    run(new_context(), module, parse(f"assign-target{{target=rvv}},{FUSED}"))
    assert SplitKernelPass.schedule_space(new_context(), module)
    check_every_cut(module)


@SLOW
@given(programs())
def test_random_programs(module: ModuleOp):
    run(new_context(), module, parse(f"assign-target{{target=rvv}},{FUSED}"))
    check_every_cut(module)


def test_fusing_again_gives_the_kernel_back():
    module = PROGRAMS["softmax_by_hand"]()
    pipeline = "assign-target{target=rvv},form-kernels,fuse-elementwise,fuse-reduction"
    run(new_context(), module, parse(pipeline))
    (kernel,) = kernels(module)
    label = kernel.label.data
    count = len(kernel.ops())
    run(new_context(), module, parse(f"split-kernel{{kernel={label}}}"))
    assert len(list(kernels(module))) > 1
    run(new_context(), module, parse("fuse-elementwise,fuse-reduction"))
    (again,) = kernels(module)
    assert len(again.ops()) == count
    assert label in again.origin_labels()


def test_labels_are_not_used_again():
    module = PROGRAMS["softmax_by_hand"]()
    pipeline = "assign-target{target=rvv},form-kernels,fuse-elementwise,fuse-reduction"
    run(new_context(), module, parse(pipeline))
    (kernel,) = kernels(module)
    label = kernel.label.data
    run(new_context(), module, parse(f"split-kernel{{kernel={label}}}"))
    inner = next(k.label.data for k in kernels(module) if len(k.ops()) > 2)
    SplitKernelPass(inner, 1).apply(new_context(), module)
    labels = [k.label.data for k in kernels(module)]
    assert len(set(labels)) == len(labels)
    assert f"{inner}_1" in labels


def test_a_kernel_of_one_op_is_refused():
    module = PROGRAMS["softmax_by_hand"]()
    run(new_context(), module, parse("form-kernels"))
    assert SplitKernelPass.schedule_space(new_context(), module) == ()
    with pytest.raises(PassRefused, match="computes one op only"):
        SplitKernelPass("k0").apply(new_context(), module)


@pytest.mark.parametrize("target", ["rvv", "opencl", "cuda"])
def test_split_kernels_run(target: str, tmp_path: Path):
    runner = runner_for(target)
    available = runner.availability()
    if isinstance(available, EmitOnly):
        pytest.skip(available.reason)
    path = tmp_path / "softmax.mlir"
    path.write_text(print_module(PROGRAMS["softmax_by_hand"]()))
    module = mbc.Module.load(path)
    fused = "form-kernels,fuse-elementwise,fuse-reduction"
    artifact = mbc.lower(module, target=target, pipeline=fused)
    (kernel,) = kernels(artifact.module)
    pipeline = f"{fused},split-kernel{{kernel={kernel.label.data}}}"
    artifact = mbc.lower(module, target=target, pipeline=pipeline)
    assert len(list(kernels(artifact.module))) > 1
    artifact.use_runner(runner)
    try:
        report = check_random(artifact, module)
        assert report.passed, report.text
    finally:
        runner.close()
