"""xDSL's linalg dialect with what it lacks to read other compilers' text.

xDSL 0.75 prints a multi-result `linalg.generic` in a form that it cannot parse, has no
`linalg.batch_matmul`, and pools the window operand where it means the output so far.
Passes match xDSL's base classes, so that modules of
either context work.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr
from xdsl.dialects.linalg import Linalg
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.abstract_ops import NamedOperation
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.ir import Block, Dialect, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.irdl import irdl_op_definition, prop_def
from xdsl.parser import Parser

from mbc.ir.arithmetic import maximum


def _map(*loops: int) -> AffineMapAttr:
    return AffineMapAttr(AffineMap(4, 0, tuple(map(AffineExpr.dimension, loops))))


@irdl_op_definition
class BatchMatmulOp(NamedOperation):
    """out[b, i, j] += lhs[b, i, k] * rhs[b, k, j]"""

    name = "linalg.batch_matmul"
    PRINT_ATTRS_IN_FRONT: ClassVar[bool] = True
    indexing_maps = prop_def(
        ArrayAttr[AffineMapAttr],
        default_value=ArrayAttr([_map(0, 1, 3), _map(0, 3, 2), _map(0, 1, 2)]),
    )

    @classmethod
    def get_hidden_region(
        cls, inputs: Sequence[SSAValue], outputs: Sequence[SSAValue]
    ) -> Region:
        return linalg.MatmulOp.get_hidden_region(inputs, outputs)

    def get_default_indexing_maps(self) -> Sequence[AffineMap]:
        return tuple(attribute.data for attribute in self.indexing_maps)

    def get_iterator_types(self) -> ArrayAttr[IteratorTypeAttr]:
        parallel = IteratorTypeAttr.parallel()
        return ArrayAttr([parallel] * 3 + [IteratorTypeAttr.reduction()])


class GenericOp(linalg.GenericOp):
    """`linalg.generic` that also reads `-> (type, type)`."""

    @classmethod
    def parse(cls, parser: Parser) -> linalg.GenericOp:
        plain = parser.parse_comma_separated_list

        def with_parentheses(
            delimiter: Any, parse: Callable[[], Any], context_msg: str = ""
        ) -> list[Any]:
            # Only the result list parses bare attributes without a delimiter.
            bare = delimiter is Parser.Delimiter.NONE
            if bare and parse == parser.parse_attribute:
                types = parser.parse_optional_comma_separated_list(
                    Parser.Delimiter.PAREN, parser.parse_type
                )
                if types is not None:
                    return list(types)
            return plain(delimiter, parse, context_msg)

        setattr(parser, "parse_comma_separated_list", with_parentheses)
        try:
            return super().parse(parser)
        finally:
            delattr(parser, "parse_comma_separated_list")


class PoolingNchwMaxOp(linalg.PoolingNchwMaxOp):
    """out[n, c, y, x] = max(out[n, c, y, x], in[n, c, y * sy + ky, x * sx + kx])"""

    @classmethod
    def get_hidden_region(
        cls, inputs: Sequence[SSAValue], outputs: Sequence[SSAValue]
    ) -> Region:
        block = Block(arg_types=cls.body_arg_types((*inputs, *outputs)))
        with ImplicitBuilder(block):
            linalg.YieldOp(maximum(block.args[0], block.args[2]))
        return Region(block)


REPAIRED: dict[type[Operation], type[Operation]] = {
    linalg.GenericOp: GenericOp,
    linalg.PoolingNchwMaxOp: PoolingNchwMaxOp,
}


def repaired_linalg() -> Dialect:
    ops = [REPAIRED.get(op, op) for op in Linalg.operations]
    return Dialect("linalg", [*ops, BatchMatmulOp], list(Linalg.attributes))
