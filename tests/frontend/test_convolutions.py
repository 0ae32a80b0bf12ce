"""Convolutions and pools, imported and compared with eager PyTorch."""

from collections.abc import Sequence

import pytest
import torch
import torch.nn.functional as F

from tests.frontend.tables import (
    Case,
    batched,
    check_together,
    floats,
)

CASES: dict[str, Case] = {
    "conv1d": (
        lambda x, w, b: (F.conv1d(x, w, b), F.conv1d(x, w, padding="same")),
        (floats(2, 3, 9), floats(4, 3, 4), floats(4)),
    ),
    "conv2d": (
        lambda x, w, b: F.conv2d(x, w, b, stride=2, padding=(1, 2), dilation=2),
        (floats(2, 3, 9, 9), floats(4, 3, 3, 3), floats(4)),
    ),
    "conv groups": (
        lambda x, w: F.conv2d(x, w, groups=3, padding="valid"),
        (floats(2, 6, 5, 5), floats(9, 2, 3, 2)),
    ),
    "conv_transpose1d": (
        lambda x, w, b: (
            F.conv_transpose1d(x, w, b, stride=3, dilation=2),
            F.conv_transpose1d(x[0], w, padding=1),
        ),
        (floats(2, 3, 7), floats(3, 4, 4), floats(4)),
    ),
    "conv_transpose2d": (
        lambda x, w, b: F.conv_transpose2d(
            x, w, b, stride=2, padding=(1, 0), output_padding=(1, 0)
        ),
        (floats(2, 3, 4, 5), floats(3, 4, 3, 2), floats(4)),
    ),
    "conv_transpose groups": (
        lambda x, w: F.conv_transpose2d(x, w, stride=(1, 2), groups=3, dilation=(2, 3)),
        (floats(1, 6, 4, 5), floats(6, 2, 3, 3)),
    ),
    "conv_transpose3d": (
        lambda x, w: F.conv_transpose3d(x, w, stride=(2, 1, 3)),
        (floats(1, 2, 3, 3, 2), floats(2, 3, 2, 3, 2)),
    ),
    "conv of other paddings": (
        lambda x, w: [
            F.conv2d(F.pad(x, (1, 1, 1, 1), mode=mode), w)
            for mode in ("reflect", "circular", "replicate")
        ],
        (floats(1, 2, 4, 5), floats(3, 2, 3, 3)),
    ),
    "any convolution": (
        lambda x, w, v: (
            torch.convolution(x, w, None, [2], [1], [1], False, [0], 1),
            torch.convolution(x, v, None, [2], [1], [1], True, [1], 1),
        ),
        (floats(2, 3, 7), floats(4, 3, 3), floats(3, 4, 3)),
    ),
    "conv3d": (F.conv3d, (floats(2, 5, 5, 5), floats(3, 2, 2, 3, 2))),
    "max pools": (
        lambda x: (F.max_pool2d(x, 2, ceil_mode=True), F.max_pool2d(x, 3, 2, 1)),
        (floats(1, 2, 7, 7) - 9,),
    ),
    "max pool drops": (
        lambda x: F.max_pool2d(x, 1, 3, ceil_mode=True),
        (floats(1, 1, 30, 30),),
    ),
    "max pool dilated": (lambda x: F.max_pool1d(x, 2, 1, 0, 2), (floats(2, 3, 8),)),
    "average pools": (
        lambda x: (
            F.avg_pool2d(x, 3, 2, 1),
            F.avg_pool2d(x, 3, 2, 1, ceil_mode=True, count_include_pad=False),
            F.avg_pool2d(x, 2, divisor_override=3),
        ),
        (floats(1, 2, 8, 8),),
    ),
    "average pool 1d 3d": (
        lambda x, y: (F.avg_pool1d(x, 2), F.avg_pool3d(y, 2)),
        (floats(2, 3, 8), floats(1, 2, 4, 4, 4)),
    ),
    "adaptive": (
        lambda x: (
            F.adaptive_avg_pool2d(x, 1),
            F.adaptive_avg_pool2d(x, (2, 3)),
            F.adaptive_max_pool2d(x, (3, 1)),
        ),
        (floats(1, 2, 6, 6),),
    ),
}


@pytest.mark.parametrize("names", batched(CASES), ids=", ".join)
def test_cases(names: Sequence[str]):
    check_together(CASES, names)
