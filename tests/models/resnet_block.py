"""A small residual network: convolutions, batch norms, pools and a classifier."""

import torch
from torch import nn


class Block(nn.Module):
    """Two convolutions beside a strided shortcut."""

    def __init__(self, channels: int, out: int, stride: int):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, out, 3, stride, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(out)
        self.conv2 = nn.Conv2d(out, out, 3, 1, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(out)
        self.shortcut = nn.Conv2d(channels, out, 1, stride)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.relu(self.norm1(self.conv1(x)))
        y = self.norm2(self.conv2(y))
        return torch.relu(y + self.shortcut(x))


class Model(nn.Module):
    def __init__(self, classes: int = 10):
        super().__init__()
        torch.manual_seed(0)
        self.stem = nn.Conv2d(3, 16, 3, padding=1)
        self.norm = nn.BatchNorm2d(16)
        self.pool = nn.MaxPool2d(3, 2, 1)
        self.block = Block(16, 32, 2)
        self.head = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(32, classes)
        for layer in self.modules():
            if isinstance(layer, nn.BatchNorm2d):
                nn.init.uniform_(layer.running_mean, -0.5, 0.5)
                nn.init.uniform_(layer.running_var, 0.5, 1.5)
                nn.init.uniform_(layer.weight, 0.5, 1.5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.pool(torch.relu(self.norm(self.stem(x))))
        return self.fc(self.head(self.block(x)).flatten(1))


def get_inputs() -> list[torch.Tensor]:
    torch.manual_seed(1)
    return [torch.randn(2, 3, 32, 32)]
