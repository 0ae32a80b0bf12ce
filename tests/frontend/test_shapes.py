"""Views, joins, indices and constants, imported and compared with eager PyTorch."""

from collections.abc import Sequence

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from tests.frontend.tables import (
    BOOLS,
    INTS,
    Case,
    X,
    Y,
    batched,
    check_together,
    floats,
    whole,
)


def write_slices(x: Tensor) -> Tensor:
    y = x.clone()
    y[1:, 0] = 2
    y[:, 1:3] += x[:, 2:]
    y[-1] = 7.0
    return y


def write_steps(x: Tensor) -> Tensor:
    y = x.clone()
    y[:, ::2] = x[:, 2:]
    y[1::2, 1:4:2] += 5
    y[-2:7:2] = 3.0
    return y


def write_where(x: Tensor, hit: Tensor) -> tuple[Tensor, ...]:
    whole, rows, columns, bits = x.clone(), x.clone(), x.clone(), x.clone()
    whole[hit] = 7.0
    rows[hit[:, 0]] = x[1]
    columns[:, hit[0]] = torch.tensor(-1.0)
    bits[hit[:, 1:2].squeeze(1)] = x[:1] * 2
    return whole, rows, columns, bits


CASES: dict[str, Case] = {
    "permutations": (
        lambda x: (
            x.permute(2, 0, 1),
            x.transpose(0, 2),
            x.mT,
            x[:, None].transpose(0, 1),
        ),
        (floats(2, 3, 4),),
    ),
    "views": (
        lambda x: (x.view(6, 4), x.reshape(-1), x.flatten(1), x[None].squeeze(0)),
        (floats(2, 3, 4),),
    ),
    "slices": (
        lambda x: (x[1:, ::2], x[:, -1], x[0, 1:3], x[..., -3:-1], x[5:]),
        (floats(4, 6),),
    ),
    "expand": (lambda x: (x.expand(4, 3, 5), x.expand(3, 5) + 1), (floats(3, 1),)),
    "repeat": (lambda x: (x.repeat(2, 3), x.repeat(2, 1, 1)), (floats(2, 3),)),
    "repeat interleave": (lambda x: x.repeat_interleave(2, 1), (floats(2, 3),)),
    "flip roll": (lambda x: (x.flip(-1)[:, ::2], x.flip(0, 1), x.roll(2, 1)), (X,)),
    "joins": (
        lambda x, y: (torch.cat([x, y], -1), torch.stack([x, y], 1), torch.cat([x, x])),
        (X, Y),
    ),
    "cat promotes": (lambda x, i: torch.cat([x, i, torch.zeros(0)]), (X, INTS)),
    "splits": (lambda x: (x.split(2, 1), x.chunk(2), x.unbind(0)), (floats(4, 5),)),
    "pads": (
        lambda x: (F.pad(x, (1, 2), value=3.0), F.pad(x, (0, -1, 2, 0))),
        (X,),
    ),
    "reflection pad": (
        lambda x: F.pad(x, (1, 1, 2, 0), mode="reflect"),
        (floats(1, 2, 4, 4),),
    ),
    "slice writes": (write_slices, (X,)),
    "writes with steps": (write_steps, (X,)),
    "writes where": (write_where, (X, BOOLS)),
    "unfold": (lambda x: x.unfold(1, 3, 2), (floats(2, 7),)),
    "triangles": (lambda x: (x.tril(), x.triu(1), x.tril(-1)), (floats(2, 4, 5),)),
    "ranges": (
        lambda x: (x + torch.arange(4), torch.arange(1, 8, 3), torch.arange(0, 1, 0.3)),
        (X,),
    ),
    "constants": (
        lambda x: (
            torch.zeros(2),
            torch.ones_like(x),
            torch.full((2,), 7),
            x.new_ones(3),
        ),
        (X,),
    ),
    "embedding": (F.embedding, (whole(2, 3, low=0), floats(10, 4))),
    "indices": (
        lambda x, i: (x[i], x[:, -i], x.index_select(1, i), x[i, i], x[i[:, None], -i]),
        (floats(4, 5), torch.tensor([1, 3, 0])),
    ),
    "gather": (lambda x, i: x.gather(1, i), (X, whole(3, 2, low=0, high=4))),
    "upsample": (
        lambda x: F.interpolate(x, scale_factor=2.0, mode="nearest"),
        (floats(1, 2, 3, 3),),
    ),
}


@pytest.mark.parametrize("names", batched(CASES), ids=", ".join)
def test_cases(names: Sequence[str]):
    check_together(CASES, names)
