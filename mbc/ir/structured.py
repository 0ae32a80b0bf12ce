"""What mbc asks of `linalg.generic`: maps, loop extents and body, in one place."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.ir import Operation
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr, AffineMap

from mbc.errors import InvalidInput
from mbc.ir.types import shape_of


def maps_of(op: LinalgStructuredOperation) -> list[AffineMap]:
    """Indexing maps of inputs, then outputs."""
    return [attribute.data for attribute in op.get_indexing_maps()]


def iterators_of(op: LinalgStructuredOperation) -> list[str]:
    return [str(attribute.data.value) for attribute in op.get_iterator_types()]


def loop_extents(op: LinalgStructuredOperation) -> tuple[int, ...]:
    """The extent of every loop, from operand axes that are indexed by it alone."""
    maps = maps_of(op)
    return extents_from(maps, [shape_of(v) for v in op.operands], maps[0].num_dims)


def extents_from(
    maps: Sequence[AffineMap], shapes: Sequence[Sequence[int]], loops: int
) -> tuple[int, ...]:
    """Loop extents that operand `shapes` imply; `InvalidInput` for an unbound loop."""
    found: dict[int, int] = {}
    for map, shape in zip(maps, shapes, strict=True):
        for expr, extent in zip(map.results, shape, strict=True):
            if isinstance(expr, AffineDimExpr):
                found.setdefault(expr.position, extent)
    missing = [loop for loop in range(loops) if loop not in found]
    if missing:
        raise InvalidInput(f"linalg.generic: no operand bounds loop d{missing[0]}")
    return tuple(found[loop] for loop in range(loops))


def is_elementwise(op: Operation) -> bool:
    """A generic whose loops are all parallel and whose results are not permuted."""
    if not isinstance(op, linalg.GenericOp):
        return False
    if any(kind != "parallel" for kind in iterators_of(op)):
        return False
    outputs = maps_of(op)[len(op.inputs) :]
    return all(map == AffineMap.identity(map.num_dims) for map in outputs)


def is_projection(map: AffineMap) -> bool:
    """Every result is one loop, used once, or a constant."""
    loops = [e.position for e in map.results if isinstance(e, AffineDimExpr)]
    simple = all(isinstance(e, AffineDimExpr | AffineConstantExpr) for e in map.results)
    return simple and len(set(loops)) == len(loops)


def axis_of(expr: AffineExpr) -> int | None:
    """The loop of a plain expression, None for a constant."""
    return expr.position if isinstance(expr, AffineDimExpr) else None
