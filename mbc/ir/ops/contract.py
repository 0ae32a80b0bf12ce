"""mbc.contract: a product of two tensors summed over shared axes (GEMM and kin)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    StringAttr,
    TensorType,
)
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from mbc.ir import build
from mbc.ir.arithmetic import add, multiply, widen
from mbc.ir.tensor_op import Dims, TensorOp, require
from mbc.ir.types import (
    Array,
    Tensor,
    accumulator,
    element_of,
    element_type,
    shape_of,
    tensor,
)


@irdl_op_definition
class ContractOp(TensorOp):
    """result[map2] = sum over the other loops of lhs[map0] * rhs[map1].

    The maps are projected permutations without constants. `acc` names the type that
    the sum is carried in. Same meaning as upstream's `linalg.contract`.
    """

    name = "mbc.contract"
    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    result = result_def(TensorType)
    indexing_maps = prop_def(ArrayAttr[AffineMapAttr])
    acc = prop_def(StringAttr)
    traits = traits_def(Pure())

    @classmethod
    def from_maps(
        cls, lhs: SSAValue, rhs: SSAValue, maps: Sequence[AffineMap], acc: str
    ) -> ContractOp:
        attributes = ArrayAttr(AffineMapAttr(m) for m in maps)
        return cls.of([lhs, rhs], indexing_maps=attributes, acc=acc)

    @classmethod
    def einsum(cls, equation: str, lhs: SSAValue, rhs: SSAValue) -> ContractOp:
        """`einsum("mk,nk->mn", x, w)`: loops in order of first appearance."""
        inputs, output = equation.split("->")
        terms = [*inputs.split(","), output]
        letters = list(dict.fromkeys(output + "".join(terms)))
        maps = [
            build.dims_map(len(letters), [letters.index(c) for c in term])
            for term in terms
        ]
        return cls.from_maps(lhs, rhs, maps, str(accumulator(element_of(lhs))))

    def axes(self) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        """The loop that each axis of lhs, rhs and result runs over."""
        first, second, third = (
            tuple(e.position for e in m.data.results if isinstance(e, AffineDimExpr))
            for m in self.indexing_maps
        )
        return first, second, third

    def loops(self) -> int:
        return self.indexing_maps.data[0].data.num_dims

    def extents(self, types: Sequence[Tensor] | None = None) -> tuple[int, ...]:
        """The extent of every loop."""
        types = types or self.tensor_operands()
        extents = [1] * self.loops()
        for axes, type in zip(self.axes()[:2], types, strict=True):
            for loop, extent in zip(axes, type.get_shape(), strict=True):
                extents[loop] = extent
        return tuple(extents)

    def check(self, types: Sequence[Tensor]) -> None:
        require(len(self.indexing_maps) == 3, "mbc.contract takes three indexing maps")
        known: dict[int, int] = {}
        for axes, type in zip(self.axes()[:2], types, strict=True):
            require(
                len(axes) == len(type.get_shape()),
                f"mbc.contract: a map has {len(axes)} results for operand {type}",
            )
            for loop, extent in zip(axes, type.get_shape(), strict=True):
                seen = known.setdefault(loop, extent)
                require(
                    seen == extent,
                    f"mbc.contract: loop d{loop} is {seen} in one operand "
                    f"and {extent} in the other",
                )
        require(
            types[0].element_type == types[1].element_type,
            "mbc.contract: operands differ in element type",
        )
        require(
            all(loop in known for loop in self.axes()[2]),
            "mbc.contract: a result axis is in no operand",
        )

    def infer(self, types: Sequence[Tensor]) -> tuple[Tensor, ...]:
        extents = self.extents(types)
        shape = [extents[loop] for loop in self.axes()[2]]
        return (tensor(shape, types[0].element_type),)

    def dims(self) -> Dims:
        lhs, rhs, out = (tuple(f"d{loop}" for loop in axes) for axes in self.axes())
        return Dims((lhs, rhs), (out,))

    def flops(self) -> int:
        return 2 * int(np.prod(self.extents(), dtype=np.int64))

    def equation(self) -> str:
        lhs, rhs, out = ("".join(chr(97 + a) for a in axes) for axes in self.axes())
        return f"{lhs},{rhs}->{out}"

    def evaluate(self, *arrays: Array) -> tuple[Array, ...]:
        return (np.einsum(self.equation(), *arrays, optimize=True),)

    def decompose(self) -> Sequence[SSAValue]:
        acc = element_type(self.acc.data)
        source = element_of(self.lhs)
        out = shape_of(self.result)
        lhs, rhs, result = self.axes()
        kinds = [
            "parallel" if d in result else "reduction" for d in range(self.loops())
        ]
        init = build.filled(out, acc, 0)

        def multiply_add(a: SSAValue, b: SSAValue, total: SSAValue) -> SSAValue:
            return add(total, multiply(widen(a, acc), widen(b, acc)))

        maps = [build.dims_map(self.loops(), axes) for axes in (lhs, rhs, result)]
        total = build.generic([self.lhs, self.rhs], [init], maps, kinds, multiply_add)[
            0
        ]
        return (build.narrow(total, source),)
