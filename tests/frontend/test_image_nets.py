"""Blocks of networks for images, small, against eager PyTorch."""

from collections.abc import Sequence

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tests.frontend.tables import Model, batched, check_models, floats


class Squeeze(nn.Module):
    """Channels weighed by what they hold, as in MobileNetV3 and EfficientNet."""

    def __init__(self):
        super().__init__()
        self.reduce, self.expand = nn.Conv2d(6, 2, 1), nn.Conv2d(2, 6, 1)

    def forward(self, x: Tensor) -> Tensor:
        weights = F.relu(self.reduce(x.mean((2, 3), keepdim=True)))
        return x * F.hardsigmoid(self.expand(weights))


class InvertedResidual(nn.Module):
    def __init__(self):
        super().__init__()
        self.wide = nn.Sequential(nn.Conv2d(4, 12, 1), nn.BatchNorm2d(12), nn.ReLU6())
        self.deep = nn.Conv2d(12, 12, 3, padding=1, groups=12, bias=False)
        self.narrow = nn.Sequential(nn.Conv2d(12, 4, 1), nn.BatchNorm2d(4))

    def forward(self, x: Tensor) -> Tensor:
        return x + self.narrow(F.hardswish(self.deep(self.wide(x))))


class Dense(nn.Module):
    """Every layer reads all before it."""

    def __init__(self):
        super().__init__()
        widths = (3, 5, 7)
        self.norms = nn.ModuleList(nn.BatchNorm2d(n) for n in widths)
        self.layers = nn.ModuleList(nn.Conv2d(n, 2, 3, padding=1) for n in widths)

    def forward(self, x: Tensor) -> Tensor:
        features = [x]
        for norm, layer in zip(self.norms, self.layers, strict=True):
            features.append(layer(torch.relu(norm(torch.cat(features, 1)))))
        return torch.cat(features, 1)


class Inception(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.pooled = nn.Conv2d(3, 2, 1), nn.Conv2d(3, 4, 1)
        self.tall = nn.Conv2d(3, 5, (3, 1), padding=(1, 0))
        self.wide = nn.Conv2d(5, 3, (1, 5), padding=(0, 2))

    def forward(self, x: Tensor) -> Tensor:
        pooled = self.pooled(F.max_pool2d(x, 3, 1, 1))
        return torch.cat([self.one(x), self.wide(self.tall(x)), pooled], 1)


class Shuffle(nn.Module):
    """Channels of groups interleaved by a view and a transposition."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(6, 6, 1, groups=3)

    def forward(self, x: Tensor) -> Tensor:
        y = self.conv(x)
        batch, channels, height, width = y.size()
        groups = y.view(batch, 3, channels // 3, height, width)
        return groups.transpose(1, 2).contiguous().view(batch, -1, height, width)


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = nn.Conv2d(2, 4, 3, padding=1)
        self.up = nn.ConvTranspose2d(4, 2, 2, stride=2)
        self.last = nn.Conv2d(4, 3, 1)

    def forward(self, x: Tensor) -> Tensor:
        y = self.up(F.relu(F.max_pool2d(self.down(x), 2)))
        y = F.pad(y, (0, x.shape[3] - y.shape[3], 0, x.shape[2] - y.shape[2]))
        return self.last(torch.cat([x, y], 1))


class Pooled(nn.Module):
    """A token mixer that is a pool, with its residual scaled (PoolFormer)."""

    def __init__(self):
        super().__init__()
        self.norm, self.scale = nn.GroupNorm(1, 4), nn.Parameter(torch.ones(4, 1, 1))

    def forward(self, x: Tensor) -> Tensor:
        y = self.norm(x)
        mixed = F.avg_pool2d(y, 3, 1, 1, count_include_pad=False) - y
        return x + self.scale * mixed


class ChannelsLast(nn.Module):
    """ConvNeXt: a norm and two layers over channels, which lie last for them."""

    def __init__(self):
        super().__init__()
        self.deep = nn.Conv2d(4, 4, 7, padding=3, groups=4)
        self.norm, self.wide = nn.LayerNorm(4), nn.Linear(4, 9)
        self.narrow = nn.Linear(9, 4)

    def forward(self, x: Tensor) -> Tensor:
        y = self.norm(self.deep(x).permute(0, 2, 3, 1))
        return x + self.narrow(F.gelu(self.wide(y))).permute(0, 3, 1, 2)


class Windows(nn.Module):
    """Swin: a shifted image in windows, and a table of positions by index."""

    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.zeros(9))
        at = torch.stack(torch.meshgrid([torch.arange(2)] * 2, indexing="ij"))
        offset = at.flatten(1)[:, :, None] - at.flatten(1)[:, None, :]
        index = (offset[0] + 1) * 3 + offset[1] + 1
        self.register_buffer("index", index, persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        b, h, w, c = x.shape
        y = torch.roll(x, (-1, -1), (1, 2)).view(b, h // 2, 2, w // 2, 2, c)
        y = y.permute(0, 1, 3, 2, 4, 5).reshape(-1, 4, c)
        bias = self.table[self.index.view(-1)].view(4, 4)
        y = (y @ y.mT + bias).softmax(-1) @ y
        y = y.view(b, h // 2, w // 2, 2, 2, c).permute(0, 1, 3, 2, 4, 5)
        return torch.roll(y.reshape(b, h, w, c), (1, 1), (1, 2))


class Patches(nn.Module):
    """ViT: patches, a class token in front, places, and the token's row at last."""

    def __init__(self):
        super().__init__()
        self.patch = nn.Conv2d(3, 8, 4, 4)
        self.token = nn.Parameter(torch.zeros(1, 1, 8))
        self.places = nn.Parameter(torch.zeros(1, 7, 8))
        self.layer = nn.TransformerEncoderLayer(8, 2, 12, batch_first=True)

    def forward(self, x: Tensor) -> Tensor:
        y = self.patch(x).flatten(2).transpose(1, 2)
        y = torch.cat([self.token.expand(len(x), -1, -1), y], 1) + self.places
        return self.layer(y)[:, 0]


class Mixer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.tokens = nn.LayerNorm(4), nn.Linear(6, 6)
        self.channels = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        x = x + F.gelu(self.tokens(self.norm(x).transpose(1, 2))).transpose(1, 2)
        return x + self.channels(x)


class Vlad(nn.Module):
    """Soft clusters of features, of which some are dropped, and two norms."""

    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(5)
        self.clusters = nn.Parameter(torch.zeros(4, 5))
        self.centers = nn.Parameter(torch.zeros(1, 4, 3))

    def forward(self, x: Tensor) -> Tensor:
        rows = x.view(-1, 4)
        share = F.softmax(self.norm(rows @ self.clusters), 1)[:, :3].view(2, 6, 3)
        total = share.sum(1, keepdim=True)
        found = (share.mT @ x).mT - total * self.centers
        return F.normalize(F.normalize(found).reshape(2, -1))


def stage(*layers: nn.Module):
    return lambda: nn.Sequential(*layers)


IMAGE = (floats(2, 3, 8, 9),)
MODELS: dict[str, Model] = {
    "squeeze": (Squeeze, (floats(2, 6, 4, 5),)),
    "inverted residual": (InvertedResidual, (floats(2, 4, 5, 6),)),
    "dense": (Dense, IMAGE),
    "inception": (Inception, IMAGE),
    "shuffle": (Shuffle, (floats(2, 6, 3, 4),)),
    "u-net": (UNet, (floats(1, 2, 7, 9),)),
    "pooled": (Pooled, (floats(2, 4, 5, 6),)),
    "channels last": (ChannelsLast, (floats(2, 4, 5, 6),)),
    "windows": (Windows, (floats(1, 4, 6, 5),)),
    "patches": (Patches, (floats(2, 3, 8, 12),)),
    "mixer": (Mixer, (floats(2, 6, 4),)),
    "vlad": (Vlad, (floats(2, 6, 4),)),
    "plain": (
        stage(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.MaxPool2d(2, ceil_mode=True)),
        IMAGE,
    ),
    "lenet": (
        stage(nn.Conv2d(3, 4, 3), nn.Tanh(), nn.AvgPool2d(2), nn.Flatten()),
        IMAGE,
    ),
    "groups of groups": (
        stage(nn.Conv2d(3, 6, 3, 2, groups=3), nn.GroupNorm(2, 6), nn.Mish()),
        IMAGE,
    ),
    "dilated": (
        stage(nn.Conv2d(3, 4, 3, padding="same", dilation=2), nn.SELU()),
        IMAGE,
    ),
    "super-resolution": (
        stage(nn.Conv2d(3, 8, 3, padding=1), nn.PixelShuffle(2), nn.PReLU()),
        IMAGE,
    ),
    "autoencoder": (
        stage(
            *(nn.Conv2d(3, 4, 3, 2, 1), nn.InstanceNorm2d(4, affine=True)),
            *(nn.ConvTranspose2d(4, 3, 3, 2, 1, 1), nn.Sigmoid()),
        ),
        IMAGE,
    ),
    "volume": (
        stage(nn.Conv3d(2, 4, 3, padding=1), nn.BatchNorm3d(4), nn.MaxPool3d(2)),
        (floats(1, 2, 4, 5, 6),),
    ),
    "volume up": (
        stage(
            nn.ConvTranspose3d(4, 6, 3, (2, 1, 2), 1, (1, 0, 1), 2, dilation=2),
            nn.Softmax(1),
        ),
        (floats(1, 4, 2, 3, 3),),
    ),
}


@pytest.mark.parametrize("names", batched(MODELS, 10), ids=", ".join)
def test_it_computes_what_pytorch_does(names: Sequence[str]):
    check_models(MODELS, names)
