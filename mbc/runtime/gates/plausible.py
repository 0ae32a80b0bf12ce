"""G5: nothing is faster than its floor.

The floor of a kernel is its arithmetic at the target's peak rate or its operands'
bytes from where they reside, whichever takes longer. A number well below it is a wrong
number, whatever the reason, until a second method proves it.
"""

from __future__ import annotations

import math
import time

from mbc.codegen.targets import Peaks
from mbc.ir.cost import fewest_bytes, flops
from mbc.ir.kernel import KernelOp
from mbc.ir.ops.contract import ContractOp
from mbc.ir.ops.conv import ConvOp
from mbc.ir.ops.conv_transpose import ConvTransposeOp
from mbc.ir.types import element_of
from mbc.runtime.gates.candidate import Candidate
from mbc.runtime.gates.report import GateResult, Passed, Rejected, Skipped
from mbc.runtime.outcome import Measured, Measurement, NotMeasured

SLACK = 0.95
CACHE_FACTOR = 8.0
"""How many times faster than the outermost memory a cache can be read."""
PRODUCTS = (ContractOp, ConvOp, ConvTransposeOp)
"""Ops whose sums of products a matrix unit takes."""
UNITS = {"cycle": "cycles", "ns": "ns"}


def floor_of(kernel: KernelOp, peaks: Peaks) -> float:
    """The least time that the kernel can take, in the peaks' unit."""
    moved = fewest_bytes(kernel)
    factor = CACHE_FACTOR if moved <= peaks.cache_bytes else 1.0
    return max(arithmetic_floor(kernel, peaks), moved / (peaks.bandwidth * factor))


def arithmetic_floor(kernel: KernelOp, peaks: Peaks) -> float:
    """Its operations at the highest rate that one of its ops admits."""
    rates = [
        peaks.products.get(str(element_of(op.operands[0])), 0.0)
        for op in kernel.ops()
        if isinstance(op, PRODUCTS)
    ]
    return flops(kernel) / max(peaks.flops, *rates, 0.0)


def check_plausible(
    candidate: Candidate, measurement: Measurement, peaks: Peaks | None = None
) -> GateResult:
    """`peaks` of the device where they are known; else the target's."""
    started = time.perf_counter()
    if isinstance(measurement, NotMeasured):
        return Skipped("G5", f"not measured: {measurement.reason}")
    rates = peaks or candidate.target.peaks
    if measurement.unit != UNITS[rates.unit]:
        reason = (
            f"the floor is in {UNITS[rates.unit]}, the number in {measurement.unit}"
        )
        return Skipped("G5", reason)
    return _judged(candidate.kernel, measurement, rates, started)


def _judged(
    kernel: KernelOp, measured: Measured, peaks: Peaks, started: float
) -> GateResult:
    floor = floor_of(kernel, peaks)
    seconds = time.perf_counter() - started
    detail = {"floor": floor, "value": measured.value, "unit": measured.unit}
    if not (math.isfinite(measured.value) and measured.value > 0):
        reason = f"a time of {measured.value:g} is no measurement"
        return Rejected("G5", "no time", "suspect", reason, seconds, detail)
    if measured.value < SLACK * floor:
        reason = (
            f"{measured.value:.4g} {measured.unit} is below the floor of "
            f"{floor:.4g} {measured.unit}"
        )
        return Rejected("G5", "floor", "suspect", reason, seconds, detail)
    return Passed("G5", 1, seconds, detail)
