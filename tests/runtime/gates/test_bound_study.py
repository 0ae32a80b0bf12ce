"""A small version of the study that chose the bound; the tool runs the large one."""

import numpy as np
from xdsl.ir import SSAValue

from mbc.ir.ops import op_class
from mbc.ir.types import Array
from mbc.runtime.bound import expected_results
from mbc.runtime.gates.profiles import draw
from tools.bound_study import How, agrees, errors_of, factor, kernel_of, study, total


def test_the_bound_tells_right_from_nearly_right():
    errors = errors_of(study(300, seed=7))
    assert {name: row for name, row in errors.items() if row[0]} == {}
    kinds = {name.split(": ")[1] for name in errors}
    assert kinds == {"honest", "drop", "tf32", "bf16"}
    assert sum(count for name, (_, count) in errors.items() if "honest" in name) == 300


def test_tf32_factors_show_in_a_long_convolution_of_positive_terms():
    """Its reference adds thousands of taps one by one, and must not err by that."""
    taps = 2500
    kernel = kernel_of([(2, 1, taps), (1, 1, taps + 2)], convolved)
    weight, x = draw(kernel.block, "positive", 0)
    expected = expected_results(kernel, [weight, x])
    seen = np.lib.stride_tricks.sliding_window_view(x[0, 0], taps)

    def made(how: How) -> Array:
        w, windows = factor(weight, how), factor(seen, how)
        return total(w[:, 0, None, :] * windows, how)[None]

    assert agrees(expected, made(How()))
    assert not agrees(expected, made(How(tf32=True)))


def convolved(weight: SSAValue, x: SSAValue) -> SSAValue:
    plain = {"strides": (1,), "low": (0,), "high": (0,), "dilation": (1,)}
    conv = op_class("mbc.conv").of([x, weight], **plain, groups=1, acc="f32")
    return conv.results[0]
