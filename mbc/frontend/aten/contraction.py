"""Matrix products as `mbc.contract` with indexing maps; biases added behind them."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from mbc.frontend.aten.call import Call, Lowering, Number
from mbc.frontend.aten.formulas import scaled
from mbc.ir import build
from mbc.ir.arithmetic import add
from mbc.ir.ops.contract import ContractOp
from mbc.ir.types import shape_of

BATCH = "abcdefgh"


def linear(
    call: Call, x: SSAValue, weight: SSAValue, bias: SSAValue | None = None
) -> SSAValue:
    lead = BATCH[: len(shape_of(x)) - 1]
    out = "n" if len(shape_of(weight)) == 2 else ""
    product = ContractOp.einsum(f"{lead}k,{out}k->{lead}{out}", x, weight).result
    if bias is None:
        return product
    return plus(product, bias)


def plus(value: SSAValue, bias: SSAValue) -> SSAValue:
    element = build.element_of(value)
    return build.elementwise([value, bias], shape_of(value), element, add)


def matmul(call: Call, a: SSAValue, b: SSAValue) -> SSAValue:
    """NumPy's rules: vectors lose their axis, leading axes broadcast."""
    rows = "m" if len(shape_of(a)) > 1 else ""
    columns = "n" if len(shape_of(b)) > 1 else ""
    lead_a, lead_b = shape_of(a)[:-2], shape_of(b)[:-2]
    rank = max(len(lead_a), len(lead_b))
    a, left = _drop_broadcast(a, lead_a, rank)
    b, right = _drop_broadcast(b, lead_b, rank)
    batch = "".join(c for c in BATCH[:rank] if c in left + right)
    inner = f"k{columns}"
    equation = f"{left}{rows}k,{right}{inner}->{batch}{rows}{columns}"
    product = ContractOp.einsum(equation, a, b).result
    return build.reshape(product, call.shape)


def _drop_broadcast(
    value: SSAValue, lead: Sequence[int], rank: int
) -> tuple[SSAValue, str]:
    """`value` without the leading axes of extent 1, and letters of those left."""
    letters = BATCH[rank - len(lead) : rank]
    kept = [i for i, extent in enumerate(lead) if extent != 1]
    matrix = shape_of(value)[len(lead) :]
    shape = [*(lead[i] for i in kept), *matrix]
    return build.reshape(value, shape), "".join(letters[i] for i in kept)


def add_product(
    call: Call,
    bias: SSAValue,
    a: SSAValue,
    b: SSAValue,
    beta: Number = 1,
    alpha: Number = 1,
) -> SSAValue:
    """beta * bias + alpha * (a @ b); with beta 0 the bias is not read, NaN or not."""
    product = matmul(call, a, b)
    element = call.element

    def body(p: SSAValue, *scaled_bias: SSAValue) -> SSAValue:
        total = scaled(p, alpha)
        for value in scaled_bias:
            total = add(scaled(value, beta), total)
        return total

    if beta == 0 and alpha == 1:
        return product
    operands = [product] if beta == 0 else [product, bias]
    return build.elementwise(operands, call.shape, element, body)


LOWERINGS: dict[str, Lowering] = {
    "linear.default": linear,
    "matmul.default": matmul,
    "mm.default": matmul,
    "bmm.default": matmul,
    "mv.default": matmul,
    "dot.default": matmul,
    "addmm.default": add_product,
    "baddbmm.default": add_product,
    "addmv.default": add_product,
}
