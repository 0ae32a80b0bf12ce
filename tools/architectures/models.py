"""The models of the table, with weights and inputs that make a comparison sharp.

Initial weights are often so small that a model hardly depends on them; here every layer
keeps the size of what goes through it, and norms and statistics are no identities.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import torch
from torch import nn

from mbc.frontend.model_file import LoadedModel, seeded
from tools.architectures.table import (
    TRANSFORMERS,
    VISION,
    VOCABULARY,
    Transformer,
    Vision,
)

BATCH, WORDS = 2, 13
CLASSES = 10
DRAWN = {
    "text": lambda: torch.randint(3, VOCABULARY, (BATCH, WORDS)),
    "mask": lambda: torch.ones(BATCH, WORDS, dtype=torch.int64),
    "image": lambda: torch.randn(BATCH, 3, 24, 24),
    "image64": lambda: torch.randn(BATCH, 3, 64, 64),
    "mel": lambda: torch.randn(BATCH, 16, 40),
    "audio": lambda: torch.randn(BATCH, 400),
}


class Called(nn.Module):
    """A model of `transformers`, called with tensors in order, for its first result."""

    def __init__(self, model: nn.Module, names: tuple[str, ...]):
        super().__init__()
        self.model = model
        self.names = names

    def forward(self, *tensors: torch.Tensor) -> torch.Tensor:
        given = dict(zip(self.names, tensors, strict=True))
        return self.model(**given, return_dict=False)[0]


def load(name: str) -> LoadedModel:
    """In evaluation mode; the same weights and inputs each time."""
    with seeded():
        if name in TRANSFORMERS:
            return _transformer(TRANSFORMERS[name])
        return _vision(VISION[name])


def _transformer(row: Transformer) -> LoadedModel:
    library: Any = import_module("transformers")
    config = getattr(library, row.config)(**row.sizes)
    if hasattr(config, "use_cache"):
        config.use_cache = False
    model = getattr(library, row.model)(config)
    inputs = [DRAWN[kind]() for kind in row.inputs.values()]
    return LoadedModel(_sharp(Called(model, tuple(row.inputs))), inputs)


def _vision(row: Vision) -> LoadedModel:
    library: Any = import_module("timm")
    options = {"num_classes": CLASSES, **row.options}
    if "patch" in row.model or "mixer" in row.model:
        options["img_size"] = row.size
    model = library.create_model(row.model, pretrained=False, **options)
    return LoadedModel(_sharp(model), [torch.randn(BATCH, 3, row.size, row.size)])


def _sharp(model: nn.Module) -> nn.Module:
    """Weights of unit gain, other parameters near what they were, real statistics."""
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.ndim < 2:
                parameter.add_(0.1 * torch.randn_like(parameter))
                continue
            inner = parameter[0].numel()
            parameter.copy_(torch.randn_like(parameter) / inner**0.5)
        for name, buffer in model.named_buffers():
            if name.endswith("running_mean"):
                buffer.copy_(0.1 * torch.randn_like(buffer))
            elif name.endswith("running_var"):
                buffer.copy_(0.5 + torch.rand_like(buffer))
    return model.eval()
