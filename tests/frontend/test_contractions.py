"""Products of matrices and attention, imported and compared with eager PyTorch."""

from collections.abc import Sequence

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from tests.frontend.support import check
from tests.frontend.tables import (
    Case,
    batched,
    check_together,
    floats,
    nan,
)

CASES: dict[str, Case] = {
    "matmul": (torch.matmul, (floats(3, 4), floats(4, 5))),
    "matmul vectors": (
        lambda a, b, v: (v @ v, a @ v, v @ b),
        (floats(3, 4), floats(4, 5), floats(4)),
    ),
    "batched matmul": (torch.matmul, (floats(2, 1, 3, 4), floats(5, 4, 2))),
    "bmm": (torch.bmm, (floats(2, 3, 4), floats(2, 4, 5))),
    "addmm": (
        lambda b, x, y: (
            torch.addmm(b, x, y, beta=0.5, alpha=2),
            torch.addmm(b * nan, x, y, beta=0),
        ),
        (floats(5), floats(3, 4), floats(4, 5)),
    ),
    "einsum": (
        lambda a, b: torch.einsum("bhqd,bhkd->bhqk", a, b),
        (floats(2, 3, 4, 5), floats(2, 3, 6, 5)),
    ),
    "linear vector": (F.linear, (floats(4), floats(3, 4), floats(3))),
    "attention": (F.scaled_dot_product_attention, (floats(1, 2, 4, 3),) * 3),
    "attention rank 3": (
        lambda q, m: F.scaled_dot_product_attention(q, q, q, m, scale=0.3),
        (floats(2, 4, 3), floats(2, 4, 4)),
    ),
    "attention masked": (
        lambda q, k, m: F.scaled_dot_product_attention(q, k, k, m),
        (
            floats(1, 1, 2, 4),
            floats(1, 1, 3, 4),
            torch.tensor([[True] * 3, [False] * 3]),
        ),
    ),
    "attention masked alike": (
        lambda q, m: F.scaled_dot_product_attention(q, q, q, m),
        (floats(2, 3, 4), torch.tensor([True, False, True])),
    ),
    "grouped queries": (
        lambda q, k: F.scaled_dot_product_attention(
            q, k, k, is_causal=True, enable_gqa=True
        ),
        (floats(2, 4, 5, 3), floats(2, 2, 5, 3)),
    ),
}


@pytest.mark.parametrize("names", batched(CASES), ids=", ".join)
def test_cases(names: Sequence[str]):
    check_together(CASES, names)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_narrow_floats(dtype: torch.dtype):
    x, w = floats(4, 8).to(dtype), floats(6, 8, seed=1).to(dtype)

    def function(x: Tensor, w: Tensor):
        return F.gelu(F.linear(x, w)), x.softmax(-1), x * 0.1 + 1, x.mean(0), x @ w.T

    check(function, x, w, tolerance=1e-2, float64=False)
