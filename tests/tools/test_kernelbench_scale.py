"""The rules of reduced extents, on problems of our own in the form of KernelBench's."""

from pathlib import Path

import pytest

from mbc.frontend.kernelbench.problems import Problem
from mbc.frontend.kernelbench.scale import MOST_MULTIPLICATIONS, SMALLEST, Scale
from tools.kernelbench_scale import reduced

HEAD = "import torch\nfrom torch import nn\n"
CONVOLUTION = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(
            in_channels, out_channels, kernel_size, stride, groups=groups
        )

    def forward(self, x):
        return torch.relu(self.conv(x))

batch_size = 64
in_channels, out_channels = 128, 512
height = width = 1024
kernel_size, stride, groups = 7, 2, 4

def get_inputs():
    return [torch.rand(batch_size, in_channels, height, width)]

def get_init_inputs():
    return []
"""
RESIDUAL = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(in_features, out_features)

    def forward(self, x):
        return x + self.layer(x)

batch_size = 128
in_features = 4096
out_features = 4096

def get_inputs():
    return [torch.rand(batch_size, in_features)]

def get_init_inputs():
    return []
"""
WHOLE = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(20000, 20000)

    def forward(self, x):
        return self.layer(x)

batch_size = 16

def get_inputs():
    return [torch.rand(batch_size, 20000)]

def get_init_inputs():
    return []
"""


def reduce(folder: Path, text: str) -> tuple[Scale, int]:
    path = folder / "problem.py"
    path.write_text(HEAD + text, encoding="utf-8")
    return reduced(Problem(1, 1, path))


def test_extents_differ_and_counts_stay_as_written(tmp_path: Path):
    scale, products = reduce(tmp_path, CONVOLUTION)
    extents = ["batch_size", "height", "in_channels", "out_channels", "width"]
    assert sorted(scale.constants) == extents
    chosen = scale.extents()
    assert min(chosen) >= SMALLEST
    assert len({*chosen}) == len(chosen)
    channels = (scale.constants["in_channels"], scale.constants["out_channels"])
    assert [n % 4 for n in channels if isinstance(n, int)] == [0, 0]
    assert not scale.whole
    assert 0 < products <= MOST_MULTIPLICATIONS


def test_extents_are_tied_only_where_the_model_ties_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    scale, _ = reduce(tmp_path, RESIDUAL)
    width = scale.constants["in_features"]
    assert scale.constants["out_features"] == width
    assert scale.tied == [width]
    assert "Attempting to broadcast" in capsys.readouterr().err


def test_what_cannot_be_cut_that_far_stays_at_batch_one(tmp_path: Path):
    scale, products = reduce(tmp_path, WHOLE)
    assert scale == Scale({"batch_size": 1}, whole=True)
    assert products == 20000**2 > MOST_MULTIPLICATIONS
