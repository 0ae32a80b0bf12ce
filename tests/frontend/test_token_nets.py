"""Blocks of networks over tokens, small, against eager PyTorch."""

import math
from collections.abc import Sequence

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tests.frontend.tables import Model, batched, check_models, floats

TOKENS = torch.tensor([[3, 1, 4, 1, 5], [2, 6, 0, 0, 0]])
WORDS = (floats(2, 5, 8),)


class Embedded(nn.Module):
    """BERT: words, places and segments, and a norm; rows of padding are masked."""

    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(7, 8, padding_idx=0), nn.Embedding(5, 8)
        self.norm = nn.LayerNorm(8)
        self.layer = nn.TransformerEncoderLayer(8, 2, 12, batch_first=True)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.norm(self.words(tokens) + self.places(torch.arange(5)))
        return self.layer(x, src_key_padding_mask=tokens == 0)


class Rotary(nn.Module):
    """Llama: angles from places, halves that turn, keys shared by several heads."""

    def __init__(self):
        super().__init__()
        self.project = nn.Linear(8, 16, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.project(x).split((8, 4, 4), -1)
        q = turned(q.view(2, 5, 2, 4).transpose(1, 2))
        k, v = (t.view(2, 5, 1, 4).transpose(1, 2) for t in (k, v))
        k, v = turned(k).repeat_interleave(2, 1), v.repeat_interleave(2, 1)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return y.transpose(1, 2).reshape(2, 5, 8)


def turned(x: Tensor) -> Tensor:
    half, length = x.shape[-1] // 2, x.shape[-2]
    rates = 1.0 / (10000 ** (torch.arange(half, dtype=x.dtype) / half))
    angles = torch.outer(torch.arange(length, dtype=x.dtype), rates).repeat(1, 2)
    first, second = x.chunk(2, -1)
    return x * angles.cos() + torch.cat([-second, first], -1) * angles.sin()


class RootMeanSquare(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(8))

    def forward(self, x: Tensor) -> Tensor:
        power = x.pow(2).mean(-1, keepdim=True)
        return self.weight * (x * torch.rsqrt(power + 1e-6)).type_as(x)


class Gated(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate, self.up, self.down = (
            nn.Linear(n, m, bias=False) for n, m in ((8, 12), (8, 12), (12, 8))
        )

    def forward(self, x: Tensor) -> Tensor:
        return x + self.down(F.silu(self.gate(x)) * self.up(x))


class Buckets(nn.Module):
    """T5: the bias of a score is a row of a table, by the distance's logarithm."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(8, 2)

    def forward(self, x: Tensor) -> Tensor:
        places = torch.arange(x.shape[1])
        distance = (places[:, None] - places[None, :]).abs()
        far = 2 + (torch.log(distance.float() / 2) / math.log(5) * 2).long()
        bucket = torch.where(distance < 2, distance, far.clamp(max=7))
        scores = (x @ x.mT)[:, None] + self.table(bucket).permute(2, 0, 1)
        return scores.softmax(-1) @ x[:, None]


class Slopes(nn.Module):
    """ALiBi: scores fall with the distance, in every head by another slope."""

    def forward(self, x: Tensor) -> Tensor:
        slopes = torch.tensor([0.5, 0.25], dtype=x.dtype)[:, None, None]
        bias = -slopes * (torch.arange(5)[:, None] - torch.arange(5)).abs()
        return ((x @ x.mT)[:, None] + bias).softmax(-1) @ x[:, None]


class Sliding(nn.Module):
    """Mistral: a key is seen from the next three places, its own the first."""

    def forward(self, x: Tensor) -> Tensor:
        behind = torch.arange(5)[:, None] - torch.arange(5)
        seen = (behind >= 0) & (behind < 3)
        return F.scaled_dot_product_attention(x, x, x, seen)


class Capped(nn.Module):
    """Gemma: embeddings scaled by a root, scores and logits kept small by tanh."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(7, 8)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.words(tokens) * math.sqrt(8)
        scores = 5.0 * torch.tanh(x @ x.mT / 5.0)
        later = torch.full((5, 5), -1e9, dtype=x.dtype).triu(1)
        y = (scores + later).softmax(-1) @ x
        return 3.0 * torch.tanh(F.linear(y, self.words.weight) / 3.0)


class Experts(nn.Module):
    """Mixtral: of three experts every token takes two, by weights that sum to one."""

    def __init__(self):
        super().__init__()
        self.router = nn.Linear(8, 3, bias=False)
        self.experts = nn.ModuleList(nn.Linear(8, 8) for _ in range(3))

    def forward(self, x: Tensor) -> Tensor:
        rows = x.reshape(-1, 8)
        weights, chosen = self.router(rows).softmax(-1).topk(2, -1)
        weights = weights / weights.sum(-1, keepdim=True)
        shares = (F.one_hot(chosen, 3) * weights[..., None]).sum(1)
        parts = [e(rows) * shares[:, i, None] for i, e in enumerate(self.experts)]
        return torch.stack(parts).sum(0).view_as(x)


class Latent(nn.Module):
    """A few learned rows ask, the words answer (cross attention, unequal lengths)."""

    def __init__(self):
        super().__init__()
        self.rows = nn.Parameter(torch.zeros(1, 3, 8))
        self.attend = nn.MultiheadAttention(8, 2, batch_first=True)

    def forward(self, x: Tensor) -> Tensor:
        rows = self.rows.expand(len(x), -1, -1)
        y, weights = self.attend(rows, x, x)
        return y + weights.sum(-1, keepdim=True)


class Waves(nn.Module):
    """Places as sines and cosines, written into every second column."""

    def forward(self, x: Tensor) -> Tensor:
        columns = torch.arange(0, 8, 2, dtype=x.dtype)
        rates = torch.exp(columns * (-math.log(100.0) / 8))
        angles = torch.arange(5, dtype=x.dtype)[:, None] * rates
        places = torch.zeros(5, 8, dtype=x.dtype)
        places[:, 0::2] = angles.sin()
        places[:, 1::2] = angles.cos()
        return x + places


class Pooler(nn.Module):
    """A mean over the words that are there, and a row at each sentence's end."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(7, 8)

    def forward(self, tokens: Tensor) -> tuple[Tensor, Tensor]:
        x, there = self.words(tokens), (tokens != 0).unsqueeze(-1)
        mean = (x * there).sum(1) / there.sum(1).clamp(min=1e-9)
        last = (tokens != 0).sum(-1) - 1
        return mean, x[torch.arange(2), last]


class Contrast(nn.Module):
    """CLIP: two sets of rows of length 1, and a matrix of their products."""

    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.tensor(1.5))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        a, b = (y / y.norm(p=2, dim=-1, keepdim=True) for y in x.unbind(0))
        logits = self.scale.exp() * a @ b.t()
        return logits, logits.t()


MODELS: dict[str, Model] = {
    "embedded": (Embedded, (TOKENS,)),
    "rotary": (Rotary, WORDS),
    "root mean square": (RootMeanSquare, WORDS),
    "gated": (Gated, WORDS),
    "buckets": (Buckets, WORDS),
    "slopes": (Slopes, WORDS),
    "sliding": (Sliding, WORDS),
    "capped": (Capped, (TOKENS,)),
    "experts": (Experts, WORDS),
    "latent": (Latent, WORDS),
    "waves": (Waves, WORDS),
    "pooler": (Pooler, (TOKENS,)),
    "contrast": (Contrast, WORDS),
    "decoder": (
        lambda: nn.TransformerDecoderLayer(8, 2, 12, batch_first=True),
        (floats(2, 5, 8), floats(2, 3, 8, seed=1)),
    ),
    "norm first": (
        lambda: nn.TransformerEncoderLayer(
            8, 2, 12, activation="gelu", batch_first=True, norm_first=True
        ),
        WORDS,
    ),
}


@pytest.mark.parametrize("names", batched(MODELS, 8), ids=", ".join)
def test_it_computes_what_pytorch_does(names: Sequence[str]):
    check_models(MODELS, names)
