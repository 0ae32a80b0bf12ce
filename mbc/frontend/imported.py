"""What the front end hands on: IR, parameters and the shape of a call."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp

from mbc.frontend.signature import Signature
from mbc.ir.types import Array

VERSION = 1
"""Of the function convention, as module attribute `mbc.version`."""


@dataclass(frozen=True)
class ImportedModel:
    """`module` holds one function; its arguments and results say what they are.

    Arguments carry `mbc.parameter` or `mbc.input` with a name; results `mbc.output`
    with an index or `mbc.updates` with the name of a donated argument. `parameters`
    shares memory with the model's own tensors.
    """

    module: ModuleOp
    parameters: dict[str, Array]
    signature: Signature
    warnings: list[str] = field(default_factory=list[str])
