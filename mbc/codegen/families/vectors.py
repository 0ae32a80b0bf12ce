"""What the vectorizing families share: which bodies vectorize, and vector knobs."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation

from mbc.codegen.expression import FUNCTIONS
from mbc.codegen.families import Schedule, Space
from mbc.codegen.targets import Target
from mbc.ir.structured import is_projection, maps_of
from mbc.ir.types import element_of

VECTOR_OPS = frozenset(
    {
        *(
            f"arith.{name}f"
            for name in ("add", "sub", "mul", "div", "neg", "cmp", "rem")
        ),
        *(f"arith.{name}f" for name in ("maximum", "minimum", "maxnum", "minnum")),
        *(f"arith.{name}" for name in ("select", "andi", "ori", "xori", "constant")),
        *(op for op in FUNCTIONS if op.startswith("math.")),
        "math.rsqrt",
        "linalg.yield",
    }
)
"""Scalar ops over f32 (and i1 for comparisons) that every target says in vectors."""


def body_vectorizes(op: linalg.GenericOp, target: Target) -> bool:
    """f32 buffers, plain accesses, and a body of vector ops only."""
    values = [*op.inputs, *op.results]
    if any(str(element_of(value)) != "f32" for value in values):
        return False
    if not all(is_projection(map) for map in maps_of(op)):
        return False
    return all(_vectorizes(nested) for nested in op.body.block.ops)


def _vectorizes(op: Operation, floats: frozenset[str] = frozenset({"f32"})) -> bool:
    if op.name not in VECTOR_OPS:
        return False
    if isinstance(op, arith.ConstantOp):
        return str(op.result.type) in {*floats, "i1"}
    kinds = {str(value.type) for value in (*op.operands, *op.results)}
    return kinds <= {*floats, "i1"}


SHORT_FLOATS = frozenset({"f16", "bf16"})
"""Held as f32 between a load and a store, which convert them."""


def map_vectorizes(op: linalg.GenericOp, target: Target) -> bool:
    """As `body_vectorizes`, on buffers of 16-bit floats, too."""
    floats = SHORT_FLOATS | {"f32"}
    values = [*op.inputs, *op.results]
    if any(str(element_of(value)) not in floats for value in values):
        return False
    if not all(is_projection(map) for map in maps_of(op)):
        return False
    return all(
        _converts(nested) or _vectorizes(nested, floats) for nested in op.body.block.ops
    )


def _converts(op: Operation) -> bool:
    """From 16 bits, or to 16 bits right before a store."""
    if isinstance(op, arith.ExtFOp):
        return str(op.result.type) == "f32"
    if not isinstance(op, arith.TruncFOp) or str(op.input.type) != "f32":
        return False
    return all(isinstance(use.operation, linalg.YieldOp) for use in op.result.uses)


def map_space(target: Target) -> Space:
    """Knobs of elementwise loops."""
    if not target.simt:
        return {"vector": (4, 1, 2, 8), "unroll": (2, 1, 4)}
    if target.is_cpu_style:
        return {"vector": (16, 4, 8), "parallel": (64, 16, 256)}
    return {"vector": (4, 1, 2), "unroll": (2, 1, 4), "parallel": (256, 128, 512)}


def lane_use(target: Target, schedule: Schedule) -> int:
    """f32 elements that one step of the vectorized loop covers."""
    vector = schedule.get("vector", 1)
    assert isinstance(vector, int)
    if target.simt:
        return vector
    return vector * target.number("vlen") // 32
