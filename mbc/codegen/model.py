"""From a module of kernels to programs: sources, launch plan and memory plan.

A function's kernels become launches in program order, its views become buffers that
share storage, and its intermediates are placed in one arena by liveness. `@prepare`
is a program of its own, run once at load; `@forward` reads what it wrote.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from xdsl.dialects import func
from xdsl.dialects import tensor as tensor_dialect
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
)
from xdsl.ir import Attribute, Operation, SSAValue

from mbc.codegen.emitters import emit_kernel, translation_unit
from mbc.codegen.memory_plan import Lifetime, plan_memory
from mbc.codegen.own_text import own_code
from mbc.codegen.program import (
    VIEW_ALIGNMENT,
    Buffer,
    KernelCode,
    Launch,
    Program,
)
from mbc.codegen.targets import Target, module_target
from mbc.errors import InvalidInput
from mbc.ir.boxes import is_aligned_run, static_box
from mbc.ir.execute import function_named
from mbc.ir.kernel import KernelOp, source_of
from mbc.ir.specialize import refuse_dynamic
from mbc.ir.types import element_of, shape_of

RESHAPES = (tensor_dialect.CollapseShapeOp, tensor_dialect.ExpandShapeOp)


@dataclass(frozen=True)
class Argument:
    """An argument of @forward or @prepare: where the caller takes its value from.

    `kind` is "parameter" (`name` in the weights), "prepared" (result `index` of
    @prepare) or "input" (`index` counts the model's inputs).
    """

    buffer: str
    kind: str
    name: str
    index: int
    dtype: str


@dataclass(frozen=True)
class Result:
    """A returned value: `buffer` from element `offset`, seen as `shape`.

    It may be an input's buffer, where the model returns an input or a view of one.
    `updates` names the parameter or input that the value replaces, or is empty.
    """

    buffer: str
    offset: int
    shape: tuple[int, ...]
    dtype: str
    updates: str
    unsigned: str = ""
    """The dtype that callers see where it is unsigned, such as uint8; or empty."""


@dataclass(frozen=True)
class FunctionCode:
    """One function: its program, and how callers bind arguments and results."""

    program: Program
    arguments: tuple[Argument, ...]
    results: tuple[Result, ...]
    labels: tuple[str, ...]
    """The kernel label of each launch."""


@dataclass(frozen=True)
class ModelCode:
    target: Target
    kernels: dict[str, KernelCode]
    forward: FunctionCode
    prepare: FunctionCode | None
    source: str
    """One translation unit with every kernel."""


def emit_model(module: ModuleOp) -> ModelCode:
    """Emit a module that `assign-target` and `form-kernels` ran on."""
    refuse_dynamic(module)
    target = module_target(module)
    names = [
        op.sym_name.data for op in module.body.block.ops if isinstance(op, func.FuncOp)
    ]
    kernels = {
        kernel.label.data: _emit(module, kernel, target)
        for kernel in module.walk()
        if isinstance(kernel, KernelOp)
    }
    source = translation_unit(target, list(kernels.values()))
    code = {
        name: _function(function_named(module, name), kernels, target, source)
        for name in ("forward", "prepare")
        if name == "forward" or name in names
    }
    return ModelCode(target, kernels, code["forward"], code.get("prepare"), source)


def _emit(module: ModuleOp, kernel: KernelOp, target: Target) -> KernelCode:
    """A kernel's own source stands in for the emitted text."""
    if kernel.source is None:
        return emit_kernel(kernel, target)
    return own_code(kernel, target, source_of(module, kernel).text.data)


@dataclass(frozen=True)
class _Place:
    """Storage of a value: a root buffer and the element it starts at."""

    root: str
    offset: int


@dataclass
class _Plan:
    target: Target
    kernels: Mapping[str, KernelCode]
    places: dict[SSAValue, _Place] = field(default_factory=dict[SSAValue, _Place])
    buffers: dict[str, Buffer] = field(default_factory=dict[str, Buffer])
    launches: list[Launch] = field(default_factory=list[Launch])
    labels: list[str] = field(default_factory=list[str])
    touched: dict[str, list[int]] = field(default_factory=dict[str, list[int]])

    def add(self, buffer: Buffer) -> None:
        self.buffers[buffer.name] = buffer

    def touch(self, root: str, at: int) -> None:
        self.touched.setdefault(root, []).append(at)


def _function(
    function: func.FuncOp,
    kernels: Mapping[str, KernelCode],
    target: Target,
    source: str,
) -> FunctionCode:
    plan = _Plan(target, kernels)
    arguments = _arguments(function, plan)
    returned = function.body.block.last_op
    assert isinstance(returned, func.ReturnOp)
    outputs = _output_roots(list(returned.operands))
    for op in function.body.block.ops:
        _step(plan, op, outputs)
    options = target.build_options()
    buffers, arena = _placed(plan)
    program = Program(
        target.name, source, buffers, tuple(plan.launches), arena, options
    )
    results = _results(function, list(returned.operands), plan)
    return FunctionCode(program, arguments, results, tuple(plan.labels))


def _arguments(function: func.FuncOp, plan: _Plan) -> tuple[Argument, ...]:
    attributes = _dictionaries(function.arg_attrs, len(function.body.block.args))
    found: list[Argument] = []
    inputs = 0
    for index, (arg, named) in enumerate(
        zip(function.body.block.args, attributes, strict=True)
    ):
        buffer = Buffer(f"x{index}", str(element_of(arg)), shape_of(arg), "input")
        plan.add(buffer)
        plan.places[arg] = _Place(buffer.name, 0)
        kind, name, number = "input", _text(named, "mbc.input"), inputs
        if "mbc.parameter" in named:
            kind, name, number = "parameter", _text(named, "mbc.parameter"), index
        elif "mbc.prepared" in named:
            prepared = named["mbc.prepared"]
            assert isinstance(prepared, IntegerAttr)
            kind, name, number = "prepared", "", prepared.value.data
        else:
            name = name or f"arg{index}"
            inputs += 1
        dtype = _text(named, "mbc.dtype") or buffer.dtype
        found.append(Argument(buffer.name, kind, name, number, dtype))
    return tuple(found)


def _dictionaries(
    attribute: ArrayAttr[DictionaryAttr] | None, count: int
) -> list[Mapping[str, Attribute]]:
    if attribute is None:
        return [{} for _ in range(count)]
    return [entry.data for entry in attribute]


def _text(named: Mapping[str, Attribute], name: str) -> str:
    attribute = named.get(name)
    return attribute.data if isinstance(attribute, StringAttr) else ""


def _output_roots(returned: Sequence[SSAValue]) -> dict[SSAValue, str]:
    """Kernel results that are returned, whole or as a reshape: y0, y1, ..."""
    roots: dict[SSAValue, str] = {}
    for index, value in enumerate(returned):
        while isinstance(value.owner, RESHAPES):
            value = value.owner.operands[0]
        if isinstance(value.owner, KernelOp):
            roots.setdefault(value, f"y{index}")
    return roots


def _step(plan: _Plan, op: Operation, outputs: Mapping[SSAValue, str]) -> None:
    if isinstance(op, func.ReturnOp):
        for value in op.operands:
            plan.touch(plan.places[value].root, len(plan.launches))
    elif isinstance(op, KernelOp):
        _launch(plan, op, outputs)
    elif isinstance(op, RESHAPES):
        plan.places[op.results[0]] = plan.places[op.operands[0]]
    elif isinstance(op, tensor_dialect.ExtractSliceOp):
        plan.places[op.result] = _slice(plan.places[op.source], op)
    elif not isinstance(op, tensor_dialect.EmptyOp):
        raise InvalidInput(f"'{op.name}' is in no kernel: run form-kernels")


def _slice(source: _Place, op: tensor_dialect.ExtractSliceOp) -> _Place:
    if not is_aligned_run(op, VIEW_ALIGNMENT):
        raise InvalidInput("a slice that is no aligned run of memory is in no kernel")
    start = static_box(op).start(shape_of(op.source))
    return _Place(source.root, source.offset + start)


def _launch(plan: _Plan, op: KernelOp, outputs: Mapping[SSAValue, str]) -> None:
    code = plan.kernels[op.label.data]
    bound: dict[str, str] = {}
    first = len(plan.launches)
    last = first + len(code.launches) - 1
    for local, value in zip(code.operands, op.ins, strict=True):
        place = plan.places[value]
        plan.touch(place.root, first)
        plan.touch(place.root, last)
        bound[local.name] = _view(plan, place, local)
    for local, value in zip(code.results, op.outs, strict=True):
        name = outputs.get(value, f"t_{op.label.data}_{local.name}")
        role = "output" if value in outputs else "scratch"
        plan.add(replace(local, name=name, role=role))
        plan.places[value] = _Place(name, 0)
        plan.touch(name, first)
        plan.touch(name, last)
        bound[local.name] = name
    for local in code.scratch:
        name = f"t_{op.label.data}_{local.name}"
        plan.add(replace(local, name=name))
        plan.touch(name, first)
        plan.touch(name, last)
        bound[local.name] = name
    for launch in code.launches:
        args = tuple(bound[name] for name in launch.args)
        plan.launches.append(replace(launch, args=args))
        plan.labels.append(op.label.data)


def _view(plan: _Plan, place: _Place, local: Buffer) -> str:
    """The buffer name for a value at an offset of another one's storage."""
    root = plan.buffers[place.root]
    if place.offset == 0:
        return root.name
    name = f"{root.name}_at_{place.offset}_{'x'.join(map(str, local.shape))}"
    role = "input" if root.role == "input" else "scratch"
    plan.add(
        replace(local, name=name, role=role, view_of=root.name, offset=place.offset)
    )
    return name


def _placed(plan: _Plan) -> tuple[tuple[Buffer, ...], int]:
    """Scratch buffers at their offsets in the arena."""
    lifetimes = [
        Lifetime(b.name, b.nbytes, min(at), max(at))
        for b in plan.buffers.values()
        if b.role == "scratch" and not b.view_of and (at := plan.touched.get(b.name))
    ]
    arena = plan_memory(lifetimes, plan.target.alignment)
    buffers = tuple(
        replace(b, offset=arena.offsets[b.name]) if b.name in arena.offsets else b
        for b in plan.buffers.values()
    )
    return buffers, arena.nbytes


def _results(
    function: func.FuncOp, returned: Sequence[SSAValue], plan: _Plan
) -> tuple[Result, ...]:
    attributes = _dictionaries(function.res_attrs, len(returned))
    found: list[Result] = []
    for value, named in zip(returned, attributes, strict=True):
        place = plan.places[value]
        found.append(
            Result(
                place.root,
                place.offset,
                shape_of(value),
                str(element_of(value)),
                _text(named, "mbc.updates"),
                _text(named, "mbc.dtype"),
            )
        )
    return tuple(found)
