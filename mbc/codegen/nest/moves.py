"""Stages that only move data: pads, slices, concatenations, packing, copies."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects import tensor as tensor_dialect
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import SSAValue

from mbc.codegen.expression import (
    element_literals,
    literal,
    load_text,
    local_type,
    store_text,
)
from mbc.codegen.nest.stage import (
    Stage,
    Storage,
    flat_index,
    loop_names,
    loops_over,
    parenthesized,
)
from mbc.errors import InvalidInput
from mbc.ir.boxes import static_box
from mbc.ir.ops.pack import PackOp
from mbc.ir.ops.unpack import UnpackOp
from mbc.ir.types import element_of, shape_of


def move(
    comment: str,
    storage: Storage,
    source: SSAValue,
    to: SSAValue,
    loops: Sequence[tuple[str, int]],
    read: Sequence[str],
    write: Sequence[str],
) -> Stage:
    """to[write] = source[read] over `loops`."""
    dtype = str(element_of(source))
    value = load_text(dtype, storage.name(source), flat_index(read, shape_of(source)))
    index = flat_index(write, shape_of(to))
    line = store_text(dtype, storage.name(to), index, value) + ";"
    buffers = (storage.name(source), storage.name(to))
    return Stage(comment, tuple(loops), (line,), buffers)


def copy_stage(source: SSAValue, to: str, storage: Storage) -> Stage:
    """A result that is an argument or another result."""
    loops = loops_over(source)
    index = flat_index([name for name, _ in loops], shape_of(source))
    dtype = str(element_of(source))
    value = load_text(dtype, storage.name(source), index)
    line = store_text(dtype, to, index, value) + ";"
    return Stage("copy", loops, (line,), (storage.name(source), to))


def extract_slice_stages(
    op: tensor_dialect.ExtractSliceOp, storage: Storage
) -> list[Stage]:
    box = static_box(op)
    names = loop_names(len(box.sizes))
    read = [
        _affine(name, stride, offset)
        for name, stride, offset in zip(names, box.strides, box.offsets, strict=True)
    ]
    write = _kept_axes(names, box.sizes, shape_of(op.result))
    loops = list(zip(names, box.sizes, strict=True))
    return [move("slice", storage, op.source, op.result, loops, read, write)]


def insert_slice_stages(
    op: tensor_dialect.InsertSliceOp, storage: Storage
) -> list[Stage]:
    box = static_box(op)
    names = loop_names(len(box.sizes))
    write = [
        _affine(name, stride, offset)
        for name, stride, offset in zip(names, box.strides, box.offsets, strict=True)
    ]
    read = _kept_axes(names, box.sizes, shape_of(op.source))
    loops = list(zip(names, box.sizes, strict=True))
    whole = loops_over(op.dest)
    everywhere = [name for name, _ in whole]
    return [
        move("copy", storage, op.dest, op.result, whole, everywhere, everywhere),
        move("insert slice", storage, op.source, op.result, loops, read, write),
    ]


def _kept_axes(
    names: Sequence[str], sizes: Sequence[int], shape: Sequence[int]
) -> list[str]:
    """Loop names of a rank-reduced side: axes of extent 1 may be dropped."""
    if len(shape) == len(sizes):
        return list(names)
    kept = [name for name, size in zip(names, sizes, strict=True) if size != 1]
    rest = iter(kept)
    return [next(rest) if extent != 1 else "0" for extent in shape]


def _affine(name: str, stride: int, offset: int) -> str:
    text = name if stride == 1 else f"{name} * {stride}"
    return text if offset == 0 else f"{text} + {offset}"


def concat_stages(op: tensor_dialect.ConcatOp, storage: Storage) -> list[Stage]:
    axis, start, stages = op.dim.value.data, 0, list[Stage]()
    for value in op.inputs:
        loops = loops_over(value)
        names = [name for name, _ in loops]
        write = list(names)
        write[axis] = _affine(names[axis], 1, start)
        stages.append(move("concat", storage, value, op.result, loops, names, write))
        start += shape_of(value)[axis]
    return stages


def pad_stages(op: tensor_dialect.PadOp, storage: Storage) -> list[Stage]:
    loops, extents = loops_over(op.result), shape_of(op.source)
    low = [int(v) for v in op.static_low.get_values()]
    inside: list[str] = []
    read: list[str] = []
    for (name, padded), before, extent in zip(loops, low, extents, strict=True):
        read.append(f"{name} - {before}" if before else name)
        if before:
            inside.append(f"{name} >= {before}")
        if before + extent != padded:
            inside.append(f"{name} < {before + extent}")
    dtype = str(element_of(op.source))
    value = load_text(dtype, storage.name(op.source), flat_index(read, extents))
    type = local_type(element_of(op.source), storage.target)
    index = flat_index([name for name, _ in loops], shape_of(op.result))
    lines = [
        f"{type} value = {_pad_value(op)};",
        f"if ({' && '.join(inside) or '1'}) value = {value};",
        store_text(dtype, storage.name(op.result), index, "value") + ";",
    ]
    buffers = (storage.name(op.source), storage.name(op.result))
    return [Stage("pad", loops, tuple(lines), buffers)]


def _pad_value(op: tensor_dialect.PadOp) -> str:
    ops = list(op.region.block.ops)
    if len(ops) == 2 and isinstance(ops[0], arith.ConstantOp):
        return literal(ops[0])
    yielded = ops[-1].operands[0].owner
    if isinstance(yielded, arith.ConstantOp):
        return literal(yielded)
    raise InvalidInput("tensor.pad needs a constant value")


def pack_stages(op: PackOp, storage: Storage) -> list[Stage]:
    axis, tile = op.int_of("axis"), op.int_of("tile")
    loops = loops_over(op.result)
    names = [name for name, _ in loops]
    panel, *rest, lane = names
    position = f"{panel} * {tile} + {lane}"
    read = [*rest[:axis], position, *rest[axis:]]
    extent, dtype = shape_of(op.input)[axis], str(element_of(op.input))
    value = load_text(
        dtype, storage.name(op.input), flat_index(read, shape_of(op.input))
    )
    type = local_type(element_of(op.input), storage.target)
    index = flat_index(names, shape_of(op.result))
    lines = [
        f"{type} value = 0;",
        f"if ({position} < {extent}) value = {value};",
        store_text(dtype, storage.name(op.result), index, "value") + ";",
    ]
    buffers = (storage.name(op.input), storage.name(op.result))
    return [Stage(f"pack in panels of {tile}", loops, tuple(lines), buffers)]


def unpack_stages(op: UnpackOp, storage: Storage) -> list[Stage]:
    axis, tile = op.int_of("axis"), shape_of(op.input)[-1]
    loops = loops_over(op.result)
    names = [name for name, _ in loops]
    at = parenthesized(names[axis])
    rest = [name for i, name in enumerate(names) if i != axis]
    read = [f"{at} / {tile}", *rest, f"{at} % {tile}"]
    return [move("unpack", storage, op.input, op.result, loops, read, names)]


def fill_stages(op: linalg.FillOp, storage: Storage) -> list[Stage]:
    loops = loops_over(op.results[0])
    source = op.inputs[0].owner
    if not isinstance(source, arith.ConstantOp):
        raise InvalidInput(
            "linalg.fill with a value that is no constant is not supported"
        )
    index = flat_index([n for n, _ in loops], shape_of(op.results[0]))
    name = storage.name(op.results[0])
    dtype = str(element_of(op.results[0]))
    line = store_text(dtype, name, index, literal(source)) + ";"
    return [Stage("fill", loops, (line,), (name,))]


def transpose_stages(op: linalg.TransposeOp, storage: Storage) -> list[Stage]:
    permutation = [int(v) for v in op.permutation.get_values()]
    source, result = op.inputs[0], op.results[0]
    loops = loops_over(result)
    names = [name for name, _ in loops]
    read = [names[permutation.index(axis)] for axis in range(len(names))]
    return [move("transpose", storage, source, result, loops, read, names)]


def broadcast_stages(op: linalg.BroadcastOp, storage: Storage) -> list[Stage]:
    added = {int(v) for v in op.dimensions.get_values()}
    loops = loops_over(op.result[0])
    names = [name for name, _ in loops]
    read = [name for axis, name in enumerate(names) if axis not in added]
    return [move("broadcast", storage, op.input, op.result[0], loops, read, names)]


def constant_stages(op: arith.ConstantOp, storage: Storage) -> list[Stage]:
    """A small table of values; large ones are parameters."""
    name, dtype = storage.name(op.result), str(element_of(op.result))
    lines = [
        store_text(dtype, name, str(i), text) + ";"
        for i, text in enumerate(element_literals(op))
    ]
    return [Stage("constant", (), tuple(lines), (name,))] if lines else []
