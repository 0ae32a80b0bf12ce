"""PyTorch modules to legal IR: one function whose arguments include the parameters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensor
from torch.export import ExportedProgram
from torch.export.graph_signature import OutputKind, OutputSpec, TensorArgument
from torch.fx import Node
from xdsl.dialects import func
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    UnitAttr,
    i64,
)
from xdsl.ir import Attribute, Block, Region, SSAValue

from mbc.errors import UnsupportedModel
from mbc.frontend.arguments import Argument, arguments_of, constants_of
from mbc.frontend.aten.call import Draws
from mbc.frontend.dtypes import (
    UNSIGNED,
    dtype_name,
    element_of_dtype,
    to_numpy,
)
from mbc.frontend.export import export_program, training_warnings
from mbc.frontend.imported import VERSION, ImportedModel
from mbc.frontend.lower import Lowerer, element_or_f32, erase_dead, live_nodes
from mbc.frontend.names import name_hint
from mbc.frontend.open_extent import import_open
from mbc.frontend.seed import SEED, drawing, next_seed, warning, with_seed
from mbc.frontend.signature import Leaf, Signature, structure_of
from mbc.frontend.unsupported import Unsupported
from mbc.ir.types import Array, Tensor, tensor

Attributes = dict[str, Attribute]
UPDATES = (
    OutputKind.BUFFER_MUTATION,
    OutputKind.PARAMETER_MUTATION,
    OutputKind.USER_INPUT_MUTATION,
)


def import_model(
    model: nn.Module,
    example_inputs: Sequence[Any],
    name: str = "forward",
    dynamic_shapes: Any = None,
) -> ImportedModel:
    """Import `model` at the extents of `example_inputs`, in the mode it is in.

    With `dynamic_shapes`, as torch.export takes it, one extent of inputs stays open.
    `UnsupportedModel` names everything that stands in the way, in one sentence.
    """
    program = export_program(model, example_inputs, dynamic_shapes)
    if dynamic_shapes is not None:

        def import_at(inputs: Sequence[Any]) -> ImportedModel:
            return import_model(model, inputs, name)

        return import_open(import_at, program, example_inputs)
    draft = draft_of(program)
    for reason in strange_arguments(draft.arguments):
        raise UnsupportedModel(reason)
    draft.lowerer.problems.raise_if_any()
    results = draft.finish()
    draws = drawing(draft.lowerer.values)
    return ImportedModel(
        module_of(name, draft.block, draft.arguments, results),
        parameter_values(draft.arguments),
        Signature(input_structure(draft.program), results.structure),
        [*training_warnings(model), *([warning(draws)] if draws else [])],
    )


def parameter_values(arguments: Sequence[Argument]) -> dict[str, Array]:
    """Arrays by name; a fake tensor has a type only and is left out."""
    return {
        argument.name: to_numpy(argument.tensor)
        for argument in arguments
        if argument.tensor is not None and not isinstance(argument.tensor, FakeTensor)
    }


@dataclass(frozen=True)
class Draft:
    """Every operator of a program lowered, or noted as a problem; not returned yet."""

    program: ExportedProgram
    arguments: list[Argument]
    """Without parameters that nothing reads."""
    block: Block
    lowerer: Lowerer

    def finish(self) -> Results:
        """Return the results and drop what none of them needs."""
        results = results_of(self.program, self.lowerer, names_of(self.arguments))
        if self.lowerer.draws is not None:
            _update_seed(self.block, self.lowerer.draws, results)
        self.block.add_op(func.ReturnOp(*(value for value, _ in results.values)))
        erase_dead(self.block)
        return results


def draft_of(program: ExportedProgram) -> Draft:
    live = live_nodes(output_node(program))
    arguments = [
        argument
        for argument in arguments_of(program)
        if argument.tensor is None or live.intersection(argument.nodes)
    ]
    seeded = bool(drawing(live))
    if seeded:
        arguments = with_seed(arguments)
    block, lowerer = begin(program, arguments)
    if seeded:
        lowerer.draws = Draws(block.args[0])
    for node in program.graph.nodes:
        if node.op == "call_function" and node in live:
            lowerer.lower(node)
    return Draft(program, arguments, block, lowerer)


def begin(
    program: ExportedProgram, arguments: Sequence[Argument]
) -> tuple[Block, Lowerer]:
    """The function's block, with the values that placeholders stand for."""
    block = Block(arg_types=[argument_type(argument) for argument in arguments])
    lowerer = Lowerer(block, dict(constants_of(program)))
    for argument, value in zip(arguments, block.args, strict=True):
        for node in argument.nodes:
            lowerer.define(node, value, argument.meta)
        value.name_hint = name_hint(argument.name)
    return block, lowerer


def argument_type(argument: Argument) -> Tensor:
    return tensor(tuple(argument.meta.shape), element_or_f32(argument.meta.dtype))


def strange_arguments(arguments: Sequence[Argument]) -> Iterator[str]:
    """What is to be said about arguments of a dtype that mbc does not have."""
    for argument in arguments:
        try:
            element_of_dtype(argument.meta.dtype)
        except Unsupported as problem:
            yield f"'{argument.name}': {problem}"


def output_node(program: ExportedProgram) -> Node:
    return next(node for node in program.graph.nodes if node.op == "output")


def names_of(arguments: Sequence[Argument]) -> dict[str, str]:
    """Placeholder name to argument name, which differ for parameters."""
    return {node.name: a.name for a in arguments for node in a.nodes}


@dataclass
class Results:
    """Values of @forward with their attributes, outputs before updates."""

    structure: dict[str, Any] = field(default_factory=dict[str, Any])
    values: list[tuple[SSAValue, Attributes]] = field(
        default_factory=list[tuple[SSAValue, Attributes]]
    )
    updated: set[str] = field(default_factory=set[str])


def results_of(
    program: ExportedProgram, lowerer: Lowerer, names: dict[str, str]
) -> Results:
    (returned,) = output_node(program).args
    assert isinstance(returned, tuple | list)
    specs = program.graph_signature.output_specs
    pairs = list(zip(specs, returned, strict=True))
    results = Results()
    outputs = [pair for pair in pairs if pair[0].kind not in UPDATES]
    results.structure = _outputs(program, lowerer, outputs, results)
    for spec, node in pairs:
        if spec.kind in UPDATES:
            _update(program, lowerer, spec, node, results, names)
    return results


def _outputs(
    program: ExportedProgram,
    lowerer: Lowerer,
    outputs: Sequence[tuple[OutputSpec, Any]],
    results: Results,
) -> dict[str, Any]:
    """Every tensor once, however often it is returned; the structure refers to it."""
    leaves: list[Leaf] = []
    positions: dict[SSAValue, int] = {}
    for spec, node in outputs:
        if not isinstance(spec.arg, TensorArgument):
            leaves.append(Leaf("constant", node))
            continue
        value = lowerer.values[node]
        if value not in positions:
            positions[value] = len(positions)
            attributes = result_attributes(lowerer, value)
            attributes["mbc.output"] = IntegerAttr(positions[value], i64)
            results.values.append((value, attributes))
        leaves.append(Leaf("result", positions[value]))
    spec = program.call_spec.out_spec
    assert spec is not None
    return structure_of(spec.unflatten(leaves))


def _update(
    program: ExportedProgram,
    lowerer: Lowerer,
    spec: OutputSpec,
    node: Any,
    results: Results,
    names: dict[str, str],
) -> None:
    """A mutated parameter, buffer or input: its new value under its name."""
    inputs = program.graph_signature.input_specs
    placeholder = next(
        (s.arg.name for s in inputs if s.target == spec.target and s.target),
        spec.target,
    )
    assert placeholder is not None
    if placeholder not in names:
        return
    name, value = names[placeholder], lowerer.values[node]
    if name in results.updated:
        raise UnsupportedModel(f"'{name}' is tied and updated under two names")
    results.updated.add(name)
    attributes = result_attributes(lowerer, value)
    results.values.append((value, attributes | {"mbc.updates": StringAttr(name)}))


def result_attributes(lowerer: Lowerer, value: SSAValue) -> Attributes:
    return dtype_attributes(lowerer.metas[value].dtype)


def dtype_attributes(dtype: torch.dtype) -> Attributes:
    if dtype not in UNSIGNED:
        return {}
    return {"mbc.dtype": StringAttr(dtype_name(dtype))}


def _update_seed(block: Block, draws: Draws, results: Results) -> None:
    results.updated.add(SEED)
    attributes: Attributes = {"mbc.updates": StringAttr(SEED)}
    results.values.append((next_seed(block, draws.seed), attributes))


def input_structure(program: ExportedProgram) -> dict[str, Any]:
    """The positional arguments; keyword arguments are not part of the convention."""
    constants = constants_of(program)
    specs = program.graph_signature.input_specs
    nodes = {n.name: n for n in program.graph.nodes if n.op == "placeholder"}
    leaves = [
        Leaf("input", spec.arg.name)
        if isinstance(spec.arg, TensorArgument)
        else Leaf("constant", constants[nodes[spec.arg.name]])
        for spec in specs
        if spec.arg.name in program.graph_signature.user_inputs
        or nodes[spec.arg.name] in constants
    ]
    spec = program.call_spec.in_spec
    assert spec is not None
    arguments, _ = spec.unflatten(leaves)
    return structure_of(arguments)


def module_of(
    name: str, block: Block, arguments: Sequence[Argument], results: Results
) -> ModuleOp:
    described = [argument_attributes(a, results.updated) for a in arguments]
    function = func.FuncOp(
        name,
        ([arg.type for arg in block.args], [v.type for v, _ in results.values]),
        Region(block),
        arg_attrs=ArrayAttr(DictionaryAttr(a) for a in described),
        res_attrs=ArrayAttr(DictionaryAttr(a) for _, a in results.values),
    )
    module = ModuleOp([function], {"mbc.version": IntegerAttr(VERSION, i64)})
    module.verify()
    return module


def argument_attributes(argument: Argument, updated: set[str]) -> Attributes:
    role = "input" if argument.tensor is None else "parameter"
    attributes: Attributes = {f"mbc.{role}": StringAttr(argument.name)}
    if argument.name in updated:
        attributes["mbc.donated"] = UnitAttr()
    return attributes | dtype_attributes(argument.meta.dtype)
