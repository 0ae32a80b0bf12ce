"""What example inputs say about how a model is called: strides and shared memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch.utils._pytree import tree_leaves

from mbc.frontend.arguments import storage_of
from mbc.frontend.findings import Finding


def input_findings(inputs: Sequence[Any]) -> Iterator[Finding]:
    owners: dict[object, int] = {}
    for position, value in enumerate(tree_leaves(list(inputs))):
        if not isinstance(value, torch.Tensor):
            text = f"example input {position}, {value!r}, is part of the compiled model"
            yield Finding("note", "baked-input", text)
            continue
        if not value.is_contiguous():
            text = (
                f"example input {position} is not contiguous (strides "
                f"{tuple(value.stride())}), so each call copies it first"
            )
            yield Finding("note", "strided-input", text)
        first = owners.setdefault(storage_of(value), position)
        if first != position and value.numel():
            text = f"example inputs {first} and {position} share memory"
            yield Finding("note", "aliased-inputs", text)
