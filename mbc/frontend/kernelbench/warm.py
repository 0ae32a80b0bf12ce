"""Imports one small layer, so that a process that forks has loaded all of PyTorch.

PyTorch loads much of torch.export at its first use, a second that would be counted to
every model. It looks at a GPU, too, whose context no forked process can use: here and
in what is forked there is none. (The target's own processes are not forked.)
"""

from __future__ import annotations

import warnings

import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode

from mbc.frontend.torch_export import import_model
from mbc.ir.text import parse_module, print_module


def no_gpu() -> bool:
    return False


def import_one_layer() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with FakeTensorMode(allow_non_fake_inputs=True):
            layer, example = nn.Linear(3, 5), torch.rand(2, 3)
        parse_module(print_module(import_model(layer, [example]).module))


torch.cuda.is_available = no_gpu
import_one_layer()
