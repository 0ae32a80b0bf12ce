"""Reductions, softmax and losses, imported and compared with eager PyTorch."""

from collections.abc import Sequence

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from tests.frontend.support import check
from tests.frontend.tables import (
    BOOLS,
    COUNTS,
    INTS,
    Case,
    X,
    Y,
    batched,
    check_together,
    floats,
    inf,
)

CASES: dict[str, Case] = {
    "softmax": (lambda x: (x.softmax(-1), x.softmax(0), x.log_softmax(1)), (X,)),
    "softmax dtype": (lambda i: i.softmax(0, dtype=torch.float32), (INTS,)),
    "logsumexp": (
        lambda x: (x.logsumexp(1), x.logsumexp((0, -1)), x.logsumexp((0,), True)),
        (floats(2, 3, 4),),
    ),
    "reductions": (
        lambda x: (x.sum(), x.mean(), x.sum((-1, 0)), x.mean(1, keepdim=True)),
        (floats(2, 3, 4),),
    ),
    "extremes": (
        lambda x: (x.amax((-1, 0), keepdim=True), x.amin(1), x.max(), x.min()),
        (floats(2, 3, 4),),
    ),
    "max dim": (lambda x: (x.max(1), x.min(-1, keepdim=True)), (floats(2, 3, 4),)),
    "arg": (lambda x: (x.argmax(), x.argmin(1), x.argmax(0, True)), (floats(3, 4),)),
    "prod": (lambda x, i: (x.prod(1), i.prod(), i.prod(0)), (X, COUNTS)),
    "variance": (
        lambda x: (x.var(), x.var(1, correction=0), x.std(0), torch.std_mean(x, 1)),
        (X,),
    ),
    "norms": (
        lambda x: (x.norm(), x.norm(1, 1), x.norm(inf, 0), x.norm(3, -1)),
        (X,),
    ),
    "any all": (lambda x, b: (b.any(), b.all(1), (x > 9).any(0), x.all()), (X, BOOLS)),
    "scans": (lambda x: (x.cumsum(-1), x.cumprod(0)), (X,)),
    "empty": (
        lambda x, y: (x.sum(0), x.prod(0), x.mean(0), x.sum(1), y.relu()),
        (torch.zeros(0, 3), torch.zeros(1, 0, 4)),
    ),
    "losses": (
        lambda x, i: F.cross_entropy(x, i),
        (X, torch.tensor([0, 3, 1])),
    ),
    "cosine": (lambda x, y: F.cosine_similarity(x, y), (X, Y)),
}


@pytest.mark.parametrize("names", batched(CASES), ids=", ".join)
def test_cases(names: Sequence[str]):
    check_together(CASES, names)


def test_a_variance_and_its_mean_share_the_mean():
    """Both reduce for the mean and for the squares, and no more."""

    def function(x: Tensor):
        return torch.var_mean(x, 1), torch.std_mean(x, 0, keepdim=True)

    imported = check(function, X)
    names = [op.name for op in imported.module.walk()]
    assert names.count("mbc.reduce") == 4


def test_softmax_of_a_masked_row_is_nan():
    rows = torch.tensor([[0.0, 0.0, -inf], [-inf, -inf, -inf]])
    check(lambda x: x.softmax(-1), rows)
