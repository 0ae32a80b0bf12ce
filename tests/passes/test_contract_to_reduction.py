"""Contractions with a vector: which become sums of products, and that they mean it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from mbc.ir.context import new_context
from mbc.ir.execute import execute, function_named
from mbc.ir.ops.contract import ContractOp
from mbc.passes.pipeline import parse, run
from tests.ir.samples import floats, module_of, random_arrays

Shapes = tuple[Sequence[int], Sequence[int]]
TAKEN: dict[str, tuple[str, Shapes]] = {
    "matrix and column": ("mk,kn->mn", ((5, 7), (7, 1))),
    "row and matrix": ("mk,kn->mn", ((1, 7), (7, 5))),
    "transposed weight": ("mk,nk->mn", ((1, 7), (5, 7))),
    "batch of both": ("bmk,bkn->bmn", ((3, 5, 7), (3, 7, 1))),
    "two vectors": ("k,k->", ((7,), (7,))),
    "two summed axes": ("mkl,kl->m", ((5, 3, 4), (3, 4))),
    "row by row": ("mk,mk->m", ((5, 7), (5, 7))),
}
LEFT: dict[str, tuple[str, Shapes]] = {
    "two matrices": ("mk,kn->mn", ((5, 7), (7, 2))),
    "nothing summed": ("m,n->mn", ((5,), (1,))),
    "axes out of order": ("mbk,k->bm", ((5, 3, 7), (7,))),
    "no elements": ("mk,kn->mn", ((5, 0), (0, 1))),
}


def contraction(equation: str, shapes: Shapes, target: str) -> ModuleOp:
    def body(lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        return ContractOp.einsum(equation, lhs, rhs).result

    module = module_of(floats(*shapes), body)
    run(new_context(), module, parse(f"assign-target{{target={target}}}"))
    return module


def rewritten(module: ModuleOp) -> ModuleOp:
    changed = module.clone()
    run(new_context(), changed, parse("contract-to-reduction"))
    changed.verify()
    return changed


def contracts(module: ModuleOp) -> bool:
    return any(isinstance(op, ContractOp) for op in module.walk())


@pytest.mark.parametrize("name", TAKEN)
def test_a_product_with_a_vector_is_a_sum(name: str):
    module = contraction(*TAKEN[name], "cuda")
    changed = rewritten(module)
    assert not contracts(changed)
    arrays = random_arrays(function_named(module, "forward").body.block.arg_types)
    (wanted,) = execute(function_named(module, "forward"), arrays, "float64")
    (found,) = execute(function_named(changed, "forward"), arrays, "float64")
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", LEFT)
def test_other_products_stay(name: str):
    assert contracts(rewritten(contraction(*LEFT[name], "cuda")))


@pytest.mark.parametrize("target", ["rvv", 'opencl option="style=cpu"'])
def test_targets_that_walk_rows_keep_them(target: str):
    equation, shapes = TAKEN["matrix and column"]
    assert contracts(rewritten(contraction(equation, shapes, target)))
