"""A kernel seen as a contraction over four loops, with an epilogue."""

from __future__ import annotations

from dataclasses import dataclass, replace

from xdsl.dialects.linalg import ops as linalg

from mbc.codegen.families import Match
from mbc.codegen.loops import Access
from mbc.ir.ops.contract import ContractOp


@dataclass(frozen=True)
class ContractMatch(Match):
    """out[b, m, n] = epilogue(sum over k of lhs[b, m, k] * rhs[b, k, n]).

    Each of b, m, n, k is one loop: runs of axes that are contiguous in every operand
    are one. Accesses have strides over (b, m, n, k). With `panel` > 0 the right
    operand is packed: element (k, n) is at ((n / panel) * K + k) * panel + n % panel,
    and `rhs.strides` do not apply. Epilogue inputs are read at (b, m, n).
    """

    op: ContractOp
    b: int
    m: int
    n: int
    k: int
    lhs: Access
    rhs: Access
    out: tuple[Access, ...]
    """One per result of the kernel."""
    panel: int
    epilogue: linalg.GenericOp | None
    extra: tuple[Access | None, ...]
    """Per input of the epilogue; None stands for the contraction's own value."""

    def exchanged(self) -> ContractMatch:
        """The same sums with lhs and rhs exchanged, and so rows and columns."""
        return replace(
            self,
            m=self.n,
            n=self.m,
            lhs=_exchanged(self.rhs),
            rhs=_exchanged(self.lhs),
            out=tuple(map(_exchanged, self.out)),
            extra=tuple(None if a is None else _exchanged(a) for a in self.extra),
        )


def _exchanged(access: Access) -> Access:
    b, m, n, k = access.strides
    return replace(access, strides=(b, n, m, k))
