"""Which operand of an op does not take a type: xDSL's own words do not say."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import IndexType, MemRefType, TensorType, f32, i32
from xdsl.ir import Attribute
from xdsl.irdl import IRDLOperation
from xdsl.irdl.constraints import VerificationContext
from xdsl.irdl.operations import OperandDef
from xdsl.parser import Parser
from xdsl.utils.exceptions import DiagnosticException, ParseError, VerifyException

UNEXPECTED = "Unexpected attribute "
"""How xDSL begins where a type is of none of the kinds that are taken."""

KINDS: dict[str, Attribute] = {
    "integer": i32,
    "index": IndexType(),
    "float": f32,
    "tensor": TensorType(f32, [1]),
    "memref": MemRefType(f32, [1]),
}
"""What a person calls a type, and a type of that kind."""


def misfit(name: str, complaint: str, context: Context) -> str | None:
    """The operand of the op `name` that xDSL's complaint about a type is about."""
    op = context.get_optional_op(name)
    if op is None or not issubclass(op, IRDLOperation):
        return None
    text = complaint.removeprefix(UNEXPECTED)
    try:
        type = Parser(context, text).parse_type()
    except (ParseError, DiagnosticException):
        return None
    for index, (_, operand) in enumerate(op.get_irdl_definition().operands):
        if not _takes(operand, type):
            kinds = [kind for kind, sample in KINDS.items() if _takes(operand, sample)]
            wanted = " or ".join(kinds) or "of another type"
            return f"op operand #{index} must be {wanted}, but got '{text}'"
    return None


def _takes(operand: OperandDef, type: Attribute) -> bool:
    try:
        operand.constr.verify([type], VerificationContext())
    except VerifyException:
        return False
    return True
