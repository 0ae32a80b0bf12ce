"""Bisection finds the pass or the kernel that was made wrong, and cuts it down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from xdsl.context import Context
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

import mbc
from mbc.api.bisect import Found, Right, WrongKernel, WrongPass, bisect
from mbc.codegen import emitters
from mbc.codegen.targets import target_named
from mbc.ir.kernel import kernels
from mbc.ir.resize import extents
from mbc.passes.pipeline import parse
from mbc.runtime.runner import Runner
from tests.api.conftest import RunnerOn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.fc = nn.Linear(8, 6)

    def forward(self, x: Tensor) -> Tensor:
        y = torch.tanh(self.fc(x)).sum(1, keepdim=True)
        return torch.softmax((torch.exp(x) + y) * x, 1)


@dataclass(frozen=True)
class ExpIsTanhPass(ModulePass):
    """Wrong: replaces every exp."""

    name = "exp-is-tanh"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in [o for o in op.walk() if isinstance(o, math.ExpOp)]:
            Rewriter.replace_op(inner, math.TanhOp(inner.operands[0]))


@dataclass(frozen=True)
class SquareOfSumPass(ModulePass):
    """Wrong, and only where a sum and a product are in one body."""

    name = "square-of-sum"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in [o for o in op.walk() if isinstance(o, arith.AddfOp)]:
            owner = inner.lhs.owner
            if isinstance(owner, math.ExpOp):
                Rewriter.replace_op(inner, arith.MulfOp(inner.lhs, inner.rhs))


@pytest.fixture(scope="module")
def module() -> mbc.Module:
    return mbc.import_model(Net().eval(), (torch.zeros(4, 8),))


OPENCL = target_named("opencl")
PIPELINE = parse(OPENCL.pipeline)


def found(
    module: mbc.Module, passes: Sequence[ModulePass], runner: Runner | None = None
) -> Found:
    assign = parse("assign-target{target=opencl}")
    return bisect(module, (*assign, *passes), OPENCL, runner)


def ops_of(module: ModuleOp) -> list[str]:
    return [op.name for op in module.walk()]


def test_what_is_right_is_right(module: mbc.Module, runner_on: RunnerOn):
    right = found(module, PIPELINE, runner_on("opencl"))
    assert isinstance(right, Right)
    assert right.kernels > 0


@pytest.mark.parametrize("position", range(len(PIPELINE) + 1))
def test_a_wrong_pass_is_found_wherever_it_stands(module: mbc.Module, position: int):
    passes: list[Any] = [*PIPELINE]
    passes.insert(position, ExpIsTanhPass())
    wrong = found(module, passes)
    assert isinstance(wrong, WrongPass)
    assert (wrong.text, wrong.position) == ("exp-is-tanh", position + 1)
    assert "math.exp" in ops_of(wrong.module)


def test_the_module_is_cut_down_to_one_op(module: mbc.Module):
    wrong = found(module, [ExpIsTanhPass(), *PIPELINE])
    assert isinstance(wrong, WrongPass)
    names = ops_of(wrong.module)
    assert names.count("linalg.generic") == 1
    assert "mbc.contract" not in names
    assert "mbc.softmax" not in names


def test_what_needs_two_ops_keeps_two(module: mbc.Module):
    fuse = parse("form-kernels,fuse-elementwise")
    wrong = found(module, [*fuse, SquareOfSumPass()])
    assert isinstance(wrong, WrongPass)
    assert wrong.text == "square-of-sum"
    assert len(list(kernels(wrong.module))) == 1


def test_a_wrong_text_of_a_person_is_found(
    module: mbc.Module, runner_on: RunnerOn, tmp_path: Path
):
    lowered = mbc.lower(module, target="opencl")
    label = next(k for k, code in lowered.code.kernels.items() if "exp" in code.source)
    text = lowered.code.kernels[label].source
    (tmp_path / "k.cl").write_text(text.replace("exp(", "exp2("))
    source = parse(f'use-source{{kernel={label} file="{tmp_path / "k.cl"}"}}')
    wrong = found(module, [*PIPELINE, *source], runner_on("opencl"))
    assert isinstance(wrong, WrongKernel)
    assert wrong.label == label
    assert "exp2(" in wrong.source


def test_wrong_emission_is_found_and_shrunk(
    module: mbc.Module, runner_on: RunnerOn, monkeypatch: pytest.MonkeyPatch
):
    emit = emitters.emit_kernel

    def wrong_emission(kernel: Any, target: Any) -> Any:
        code = emit(kernel, target)
        return replace(code, source=code.source.replace("tanh(", "sinh("))

    monkeypatch.setattr("mbc.runtime.gates.candidate.emit_kernel", wrong_emission)
    wrong = found(module, PIPELINE, runner_on("opencl"))
    assert isinstance(wrong, WrongKernel)
    assert "sinh(" in wrong.source
    (kernel,) = kernels(wrong.module)
    assert max(extents(kernel).values()) < 6
