"""Tiny PyTorch models, each with inputs, for calls through the Python interface."""

from __future__ import annotations

import torch
from torch import Tensor, nn

import mbc


class Mlp(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.fc1 = nn.Linear(12, 20)
        self.fc2 = nn.Linear(20, 3)

    def forward(self, x: Tensor) -> Tensor:
        return self.fc2(torch.relu(self.fc1(x)))


class Affine(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x * 2 + 1


class Select(nn.Module):
    """Booleans and 64-bit integers in and out."""

    def forward(self, mask: Tensor, n: Tensor) -> tuple[Tensor, Tensor]:
        chosen = torch.where(mask, n * 3, -n)
        return chosen, torch.logical_not(mask)


class Sums(nn.Module):
    """Along both axes, of which one may be empty."""

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return x + 1, x.sum(0), x.sum(1)


class Ignoring(nn.Module):
    """Its second input makes no difference."""

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        return x + y * 0


class Undefined(nn.Module):
    """The logarithm of what is negative whatever the inputs are."""

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        return torch.log(-1 - x * x - y * y)


class Structured(nn.Module):
    """A result that occurs twice, a nested one, an input, None and a number."""

    def forward(self, x: Tensor) -> dict[str, object]:
        y = x + 1
        return {"y": y, "parts": [y, None, 3, (x, y * 2)]}


class Tied(nn.Module):
    """One matrix into the hidden width and, transposed, out of it."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.into = nn.Linear(6, 4, bias=False)
        self.out = nn.Linear(6, 4, bias=False)
        self.out.weight = self.into.weight

    def forward(self, x: Tensor) -> Tensor:
        return torch.tanh(self.into(x)) @ self.out.weight


class Accumulate(nn.Module):
    """Adds its second input to its first, in place."""

    def forward(self, total: Tensor, x: Tensor) -> Tensor:
        total.add_(x)
        return total * 2


class TwoProducts(nn.Module):
    """The same product twice: with a parameter, and with an input."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.w = nn.Parameter(torch.randn(32, 32))

    def forward(self, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        return x @ self.w, x @ y


def normalizer() -> nn.Module:
    """A batch norm in training mode, which moves its running statistics."""
    torch.manual_seed(0)
    return nn.BatchNorm1d(5).train()


def mlp_inputs() -> list[Tensor]:
    torch.manual_seed(1)
    return [torch.randn(7, 12)]


def imported_mlp() -> mbc.Module:
    return mbc.import_model(Mlp().eval(), mlp_inputs())
