"""canonicalize: one form for what means the same, before anything is decided."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass

from mbc.ir.fingerprint import fingerprint
from mbc.ir.kernel import KernelOp
from mbc.ir.ops.contract import ContractOp
from mbc.passes.support.generics import absorb_transposes, simplify_generic
from mbc.passes.support.ops import is_pure, needs, remove_dead
from mbc.passes.support.scalars import simplify
from mbc.passes.support.views import simplify_view


@dataclass(frozen=True)
class CanonicalizePass(ModulePass):
    """Removes what changes nothing and what is there twice, without any rounding.

    Before:
    ```mlir
    %0 = tensor.collapse_shape %x [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
    %1 = tensor.expand_shape %0 [[0, 1]] ... : tensor<32xf32> into tensor<4x8xf32>
    %2 = linalg.generic ... ins(%1) { arith.mulf %a, %one; math.exp }
    ```
    After `canonicalize`:
    ```mlir
    %2 = linalg.generic ... ins(%x) { math.exp }
    ```
    Identity views and generics, reshapes of reshapes, repeated and dead ops go;
    transposes, broadcasts and fills are read through the maps of generics and
    contractions; splat constants move into bodies; neutral operands (x * 1, x + -0.0)
    vanish. Scalars that are constant are computed: integers modulo their width, floats
    where nothing is rounded, explicit casts as they round. Nothing is folded that could
    hide a rounding or a NaN (x - x, x / 1, bf16 and back), nor what MLIR leaves
    undefined: division by zero, long shifts, floats that an integer cannot hold.
    Precondition: none. Refuses nothing. Bodies of kernels keep their tensor ops.
    """

    name = "canonicalize"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.body.block.ops:
            if isinstance(function, func.FuncOp) and len(function.body.blocks) == 1:
                canonicalize(function.body.block)
        for inner in op.walk():
            if not isinstance(inner, KernelOp | ModuleOp):
                _simplify_regions(inner)


def _simplify_regions(op: Operation) -> None:
    for region in op.regions:
        for block in region.blocks:
            simplify(block)


def canonicalize(block: Block) -> None:
    """Rewrite the block's own ops until no rule applies."""
    remove_dead(block)
    while simplify(block) or _merge_duplicates(block) or _sweep(block):
        remove_dead(block)


def _sweep(block: Block) -> bool:
    """Offer every op to its rules once; says whether any applied."""
    changed = [_simplify(op) for op in list(block.ops) if op.parent is block]
    return any(changed)


def _simplify(op: Operation) -> bool:
    """Whether a rule changed the op, or put another one in its place."""
    if isinstance(op, linalg.GenericOp):
        return simplify_generic(op)
    if isinstance(op, ContractOp):
        return absorb_transposes(op)
    return simplify_view(op)


def _merge_duplicates(block: Block) -> bool:
    """Keep the first of ops that compute the same from the same values."""
    seen: dict[object, Operation] = {}
    changed = False
    for op in list(block.ops):
        if not op.results or not is_pure(op) or isinstance(op, KernelOp):
            continue
        known = seen.setdefault((fingerprint(op), *needs(op)), op)
        if known is op:
            continue
        for old, new in zip(op.results, known.results, strict=True):
            old.replace_all_uses_with(new)
        op.detach()
        op.erase()
        changed = True
    return changed
