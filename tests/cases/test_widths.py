"""Emitted text is as wide as the model: no float64 of its own, 64-bit indices whole."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import torch
from torch import Tensor
from xdsl.dialects.builtin import TensorType, f64
from xdsl.ir import Attribute

import mbc
from mbc.api.on_target import WIDE
from mbc.frontend.model_file import ModelFile, run
from mbc.ir.kernel import KernelOp, kernels
from tests.cases import test_calls, test_codegen
from tests.cases.case import WAYS, Case, Together, check
from tests.codegen.exact import STYLES

MODELS = Path(__file__).parents[1] / "models"


@cache
def modules() -> dict[str, mbc.Module]:
    """The models of this repository, and the cases of this folder as one."""
    cases = [*test_calls.CASES, *test_codegen.CASES]
    together = Together(cases).eval()
    found = {"cases": mbc.import_model(together, [case.inputs for case in cases])}
    for name in ("lstm", "mlp", "resnet_block", "transformer"):
        path = MODELS / f"{name}.py"
        loaded = ModelFile(path, run(path)).make()
        found[name] = mbc.import_model(loaded.model.eval(), loaded.inputs)
    return found


def types_of(kernel: KernelOp) -> Iterator[Attribute]:
    """Element types of all values in a kernel."""
    for op in kernel.walk():
        for value in (*op.operands, *op.results):
            is_tensor = isinstance(value.type, TensorType)
            yield value.type.element_type if is_tensor else value.type


@pytest.mark.parametrize("style", STYLES)
def test_text_has_float64_only_where_the_kernel_has(style: str) -> None:
    name, options = STYLES[style]
    looked_at = 0
    for title, module in modules().items():
        artifact = mbc.lower(module, name, options)
        for kernel in kernels(artifact.module):
            source = artifact.code.kernels[kernel.label.data].source
            needed = f64 in types_of(kernel)
            assert needed or not WIDE.search(source), f"{title}: {source}"
            looked_at += not needed
    assert looked_at > 50


FAR = torch.tensor([2**32 + 1, 2**31, -(2**32) + 1, -(2**63), 2**63 - 1, 2, -1])
"""The lower halves of most name a row of the table; only the last two do as a whole."""
TABLE = torch.arange(15.0).reshape(5, 3)
NEAREST = torch.tensor([4, 4, 0, 0, 4, 2, 4])
"""Reads take the nearest row; updates of rows that there are not are dropped."""


def read(table: Tensor, at: Tensor) -> tuple[Tensor, ...]:
    return (
        table[at],
        table.index_select(0, at),
        torch.gather(table, 0, at[:, None]),
        table.t().contiguous()[:, at],
        torch.nn.functional.embedding(at, table),
    )


def written(table: Tensor, at: Tensor) -> tuple[Tensor, ...]:
    ones = torch.ones(len(at), 3)
    return table.index_add(0, at, ones), table.index_copy(0, at, -ones)


def put(value: float, adds: bool) -> Tensor:
    result = TABLE.clone()
    for row in (2, 4):
        result[row] = result[row] + value if adds else value
    return result


CASES = [
    Case(
        "reads",
        read,
        (TABLE, FAR),
        (
            TABLE[NEAREST],
            TABLE[NEAREST],
            TABLE[NEAREST][:, :1],
            TABLE[NEAREST].t(),
            TABLE[NEAREST],
        ),
        raises_in_eager=True,
    ),
    Case(
        "updates",
        written,
        (TABLE, FAR),
        (put(1.0, adds=True), put(-1.0, adds=False)),
        raises_in_eager=True,
    ),
]


@pytest.mark.parametrize("way", [way for way in WAYS if way != "eager"])
def test_no_index_is_cut_to_32_bits(way: str) -> None:
    check(CASES, way)
