"""The spatial axes of a convolution, forward and transposed, in one form.

Results of an axis that see the same elements of the window make a phase. A forward
convolution has one; a transposed one has as many as its stride, and within each of
them the input is read with stride 1, so that nothing is ever multiplied by the zeros
between its elements. Along an axis, result q of a phase reads at tap t

    padded input   q * stride + offset + t * tap_input
    window         first + t * tap_window
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Phase:
    results: int
    taps: int
    first: int
    """Window element of tap 0."""
    offset: int
    """Padded input element that result 0 reads at tap 0."""


@dataclass(frozen=True)
class Axis:
    extent: int
    out: int
    window: int
    low: int
    """Zeros in front of the input."""
    padded: int
    """Extent with all zeros that results read."""
    stride: int
    """Input elements from one result of a phase to the next."""
    tap_input: int
    tap_window: int
    phases: tuple[Phase, ...]
    """Phase p has results p, p + len(phases), ..."""

    @property
    def is_plain(self) -> bool:
        """No zeros in front or behind."""
        return self.padded == self.extent

    @property
    def shortest(self) -> int:
        """Results of the phase that has fewest, but some."""
        return min(phase.results for phase in self.phases if phase.results)

    @property
    def longest(self) -> int:
        return max(phase.results for phase in self.phases)

    @property
    def varies(self) -> bool:
        """Phases have different numbers of results."""
        return len({phase.results for phase in self.phases}) > 1

    def residues(self) -> tuple[int, ...]:
        """Which padded elements are read, modulo the stride."""
        found = {
            (phase.offset + tap * self.tap_input) % self.stride
            for phase in self.phases
            for tap in range(phase.taps)
        }
        return tuple(sorted(found))


UNIT = Axis(1, 1, 1, 0, 1, 1, 1, 1, (Phase(1, 1, 0, 0),))
"""An axis that is not there."""


def forward_axis(
    extent: int, window: int, out: int, stride: int, low: int, dilation: int
) -> Axis:
    last = (out - 1) * stride + (window - 1) * dilation - low
    padded = max(extent, last + 1) + low
    phase = Phase(out, window, 0, 0)
    return Axis(extent, out, window, low, padded, stride, dilation, 1, (phase,))


def transposed_axis(
    extent: int, window: int, out: int, stride: int, low: int, dilation: int
) -> Axis:
    """Input i adds to result i * stride + k * dilation - low at window element k.

    So results p + q * stride see the elements k with (p + low - k * dilation) a
    multiple of the stride; they are taken backwards, for ascending inputs.
    """
    common = math.gcd(stride, dilation)
    step = stride // common
    seen = [_window_of(p + low, stride, dilation, window) for p in range(stride)]
    starts = [
        (p + low - ks[-1] * dilation) // stride if ks else 0
        for p, ks in enumerate(seen)
    ]
    counts = [max(0, -(-(out - p) // stride)) for p in range(stride)]
    rows = list(zip(counts, seen, starts, strict=True))
    read = [(n, ks, at) for n, ks, at in rows if n and ks]
    before = max((-at for _, _, at in read), default=0)
    before = max(0, before)
    tap_input = dilation // common
    last = max(
        (at + (len(ks) - 1) * tap_input + n - 1 for n, ks, at in read), default=0
    )
    padded = max(extent, last + 1) + before
    phases = tuple(
        Phase(n, len(ks), ks[-1] if ks else 0, at + before if ks and n else 0)
        for n, ks, at in rows
    )
    return Axis(extent, out, window, before, padded, 1, tap_input, -step, phases)


def _window_of(position: int, stride: int, dilation: int, window: int) -> list[int]:
    """Window elements that meet an input at this position of the whole result."""
    return [k for k in range(window) if (position - k * dilation) % stride == 0]


def padded_to_three(axes: Sequence[Axis]) -> tuple[Axis, Axis, Axis]:
    """Missing axes in front have extent 1."""
    z, y, x = [UNIT] * (3 - len(axes)) + list(axes)
    return z, y, x
