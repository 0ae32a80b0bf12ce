"""The `mbc` dialect: named tensor ops, kernels, schedules and targets."""

from __future__ import annotations

from xdsl.ir import Dialect

from mbc.ir.attributes import ScheduleAttr, TargetAttr
from mbc.ir.kernel import KernelOp, SourceOp, YieldOp
from mbc.ir.ops import OPS, op_class

Mbc = Dialect(
    "mbc",
    [*(op_class(name) for name in OPS), KernelOp, YieldOp, SourceOp],
    [ScheduleAttr, TargetAttr],
)
