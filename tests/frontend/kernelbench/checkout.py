"""A folder laid out as KernelBench is, with a few problems of our own."""

from pathlib import Path

HEAD = "import torch\nfrom torch import nn\n"

LINEAR = (
    HEAD
    + """
class Model(nn.Module):
    def __init__(self, rows, columns):
        super().__init__()
        self.layer = nn.Linear(rows, columns)

    def forward(self, x):
        return torch.relu(self.layer(x))

batch_size = 64
in_features, out_features = 1024 * 256, 65536

def get_inputs():
    return [torch.rand(batch_size, in_features)]

def get_init_inputs():
    return [in_features, out_features]
"""
)

NORM = (
    HEAD
    + """
class Model(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.norm = nn.BatchNorm2d(features)

    def forward(self, x, scale: float):
        return self.norm(x) * scale

batch_size = 16
features = 64
dim1 = 512
dim2 = 512

def get_inputs():
    return [torch.rand(batch_size, features, dim1, dim2), 3.14]

def get_init_inputs():
    return [features]
"""
)

READS_ELEMENTS = (
    HEAD
    + """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        rates = [x.item() for x in torch.linspace(0, 0.3, 4)]
        self.scale = 1 + rates[-1]
        self.weight = nn.Parameter(torch.randn(65536, 65536))
        nn.init.uniform_(self.weight)

    def forward(self, x):
        return x @ self.weight * self.scale

def get_inputs():
    return [torch.rand(16, 65536)]

def get_init_inputs():
    return []
"""
)

UNSUPPORTED = (
    HEAD
    + """
class Model(nn.Module):
    def forward(self, x):
        return torch.linalg.svdvals(x)

def get_inputs():
    return [torch.rand(4, 4)]

def get_init_inputs():
    return []
"""
)

FILES = {
    "level1/2_Norm.py": NORM,
    "level1/10_Linear.py": LINEAR,
    "level2/1_Elements.py": READS_ELEMENTS,
    "level3/7_Unsupported.py": UNSUPPORTED,
}


def make_checkout(folder: Path) -> Path:
    for name, text in FILES.items():
        path = folder / "KernelBench" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder
