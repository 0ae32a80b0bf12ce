"""Two linear layers with a ReLU between them."""

import torch
from torch import nn


class Model(nn.Module):
    def __init__(self, features: int = 32, hidden: int = 64, classes: int = 10):
        super().__init__()
        torch.manual_seed(0)
        self.fc1 = nn.Linear(features, hidden)
        self.fc2 = nn.Linear(hidden, classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.fc2(torch.relu(self.fc1(x)))


def get_init_inputs() -> list[int]:
    return [32, 64, 10]


def get_inputs() -> list[torch.Tensor]:
    torch.manual_seed(1)
    return [torch.randn(8, 32)]
