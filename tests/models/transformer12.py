"""Twelve layers of the transformer, to see that importing scales."""

import importlib.util
from pathlib import Path
from types import ModuleType

import torch


def _transformer() -> ModuleType:
    path = Path(__file__).with_name("transformer.py")
    spec = importlib.util.spec_from_file_location("transformer", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


Model = _transformer().Model


def get_init_inputs() -> list[int]:
    return [12, 256, 8]


def get_inputs() -> list[torch.Tensor]:
    torch.manual_seed(1)
    return [torch.randn(1, 64, 256)]
