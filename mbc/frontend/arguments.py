"""The arguments of @forward: parameters by name, tied ones once, then inputs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.export import ExportedProgram
from torch.export.graph_signature import (
    ConstantArgument,
    InputKind,
    InputSpec,
    TensorArgument,
)
from torch.fx import Node
from torch.multiprocessing.reductions import StorageWeakRef

from mbc.errors import UnsupportedModel

STATE = (InputKind.PARAMETER, InputKind.BUFFER, InputKind.CONSTANT_TENSOR)


@dataclass(frozen=True)
class Argument:
    """One argument and the placeholders that stand for it: several if tied, none for
    the seed of random numbers."""

    name: str
    nodes: tuple[Node, ...]
    tensor: torch.Tensor | None
    """The value of a parameter; None for an input."""

    @property
    def meta(self) -> torch.Tensor:
        if self.nodes:
            return self.nodes[0].meta["val"]
        assert self.tensor is not None
        return self.tensor


def arguments_of(program: ExportedProgram) -> list[Argument]:
    """Parameters in the model's order, then inputs in the call's."""
    parameters: dict[object, Argument] = {}
    inputs: list[Argument] = []
    for spec, node in placeholders(program):
        if spec.kind == InputKind.USER_INPUT:
            if isinstance(spec.arg, TensorArgument):
                inputs.append(Argument(node.name, (node,), None))
            continue
        if spec.kind not in STATE:
            raise UnsupportedModel(f"{spec.kind.name.lower()} inputs are not supported")
        name, tensor = str(spec.target), state(program, str(spec.target))
        key = storage_key(name, tensor)
        known = parameters.get(key, Argument(name, (), tensor))
        parameters[key] = Argument(known.name, (*known.nodes, node), known.tensor)
    return [*parameters.values(), *inputs]


def placeholders(program: ExportedProgram) -> Iterator[tuple[InputSpec, Node]]:
    nodes = [node for node in program.graph.nodes if node.op == "placeholder"]
    return zip(program.graph_signature.input_specs, nodes, strict=True)


def state(program: ExportedProgram, name: str) -> torch.Tensor:
    """A parameter, buffer or lifted constant; non-persistent buffers are constants."""
    found = program.state_dict.get(name, program.constants.get(name))
    if not isinstance(found, torch.Tensor):
        raise UnsupportedModel(f"'{name}' is not a tensor")
    return found


def storage_key(name: str, tensor: torch.Tensor) -> object:
    """Equal for tensors that are the same elements of the same memory."""
    if not tensor.numel():
        return name
    shape, strides = tuple(tensor.shape), tensor.stride()
    offset = tensor.storage_offset()
    return (storage_of(tensor), offset, shape, strides, tensor.dtype)


def storage_of(tensor: torch.Tensor) -> int:
    """Where the memory starts; fake tensors, which have none, share an identity."""
    storage: Any = tensor.untyped_storage()
    if not isinstance(tensor, FakeTensor):
        return storage.data_ptr()
    shared: Any = StorageWeakRef(storage)
    return shared.cdata


def constants_of(program: ExportedProgram) -> dict[Node, object]:
    """Inputs that are not tensors: the values that the program was made with."""
    return {
        node: spec.arg.value
        for spec, node in placeholders(program)
        if isinstance(spec.arg, ConstantArgument)
    }
