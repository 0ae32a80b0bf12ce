"""An LSTM over a batch of sequences, and a linear layer on its last output."""

import torch
from torch import nn


class Model(nn.Module):
    def __init__(self, features: int = 16, hidden: int = 24, classes: int = 5):
        super().__init__()
        torch.manual_seed(0)
        self.lstm = nn.LSTM(features, hidden, num_layers=2, batch_first=True)
        self.fc = nn.Linear(hidden, classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        output, _ = self.lstm(x)
        return self.fc(output[:, -1])


def get_inputs() -> list[torch.Tensor]:
    torch.manual_seed(1)
    return [torch.randn(4, 12, 16)]
