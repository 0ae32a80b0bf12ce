"""Finds reduced extents of KernelBench's problems: `python tools/kernelbench_scale.py
KERNELBENCH [ID ...]` rewrites mbc/frontend/kernelbench/scale.json.

By these rules, each of which is checked, not assumed:
* every chosen extent is at least 3, and no two are equal, unless the model fails
  otherwise: then constants that are equal as written stay equal;
* constants that are no extents (kernels, strides, paddings, groups, heads, layers,
  axes) stay as written, and channels stay a multiple of every group or head count;
* the model runs the same operators on tensors of the same ranks as at full size, and
  no extent becomes 1 that was not; where that is impossible, the last clause goes;
* at most 200 M multiplications and additions; else only the batch is cut, to 1.
Models run on fake tensors: shapes are all that counts.
"""

from __future__ import annotations

import ast
import json
import logging
import math
import re
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from itertools import count, product
from pathlib import Path
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import FlopCounterMode

from mbc.frontend.export import plain_tensors_as_buffers
from mbc.frontend.kernelbench.problems import Problem, find_problems
from mbc.frontend.kernelbench.scale import (
    DRAWN,
    MOST_MULTIPLICATIONS,
    SMALLEST,
    TABLE,
    Scale,
    Value,
    at_scale,
)
from mbc.frontend.model_file import LoadedModel, ModelFile
from mbc.frontend.model_file import run as run_file
from mbc.frontend.untouched import make_untouched

KEPT = re.compile(
    r"kernel|stride|padding|dilation|group|head|pool|reduce_dim|max_dim|sum_dim|"
    r"num_layers|stages|ratio|growth|max_value|min_value|_max$|_min$|subtract|"
    r"multipl|divisor|scal|clamp|block_len|^layers$|patch_size"
)
"""Names of constants that are no extents."""
KEPT_IN = {"3_28": ("depth",)}
"""And in one problem: the number of layers."""
MULTIPLE_IN = {"2_27": 4, "3_25": 12}
"""A number of groups that is a default of the model; groups of quarters."""
CHANNELS = {"batch_size": 4, "in_channels": 17, "out_channels": 26}
LAYER = {"batch_size": 4, "input_size": 19, "hidden_size": 21}
GIVEN = {
    **{f"3_{number}": Scale(LAYER | {"seq_len": 11}) for number in (39, 40, 41, 42)},
    "1_100": Scale({"batch_size": 17, "input_shape": [17]}, tied=[17]),
    "2_3": Scale(CHANNELS | {"depth": 9, "height": 11, "width": 13}),
    "2_34": Scale(CHANNELS | {"D": 9, "H": 11, "W": 13}),
    "3_34": Scale(LAYER | {"output_size": 17, "sequence_length": 11}),
    "3_28": Scale(
        {"image_size": 64, "num_classes": 24, "dim": 40, "mlp_dim": 56},
        inputs=[[4, 3, 64, 64]],
    ),
    "3_9": Scale(
        {"batch_size": 4, "num_classes": 17, "input_shape": [4, 3, 25, 27]}, tied=[4]
    ),
}
"""Where the model relates its extents: a loss that broadcasts its labels, norms over
the last axis by as many weights as there are channels, and shapes with the batch or an
image. And a loop over a sequence, as many operators as it is long; fake tensors walk a
recurrent layer step by step, half a thousand of them in the GRUs."""
COUNTS = re.compile(r"group|head")
SPATIAL = re.compile(r"height|width|^depth|^[DHW]$|length|image|^dim\d|seq")
BATCHES = (4, 3, 5)
FEWEST = (16, 5)
"""Channels and features, as far as they are not in groups; then for heavy models."""
LENGTHS = (
    (11, 2),
    (19, 4),
    (33, 2),
    (65, 4),
    (12, 8),
    (16, 16),
    (64, 32),
    (128, 64),
)
"""First ones and steps; of odd ones, then of ones that halve."""
NOTHING = Scale(constants={}, inputs=())
Shapes = list[tuple[str, tuple[tuple[int, ...], ...]]]


@dataclass(frozen=True)
class Found:
    """Constants of integers or lists of them, and shapes that `get_inputs` has."""

    constants: Mapping[str, Value]
    inputs: Sequence[Sequence[int | str]]

    @property
    def multiple(self) -> int:
        counts = [
            value
            for name, value in self.constants.items()
            if COUNTS.search(name) and isinstance(value, int) and value > 0
        ]
        return math.lcm(1, *counts)


def found_in(path: Path) -> Found:
    tree = ast.parse(path.read_bytes())
    namespace: dict[str, Any] = {}
    constants: dict[str, Value] = {}
    inputs: list[list[int | str]] = []
    for statement in tree.body:
        match statement:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    for name, part in named(target, value):
                        constants |= integer_constant(name, part, namespace)
            case ast.FunctionDef(name="get_inputs"):
                inputs += drawn_shapes(statement)
            case _:
                pass
    literal = any(isinstance(n, int) and n > 8 for shape in inputs for n in shape)
    return Found(constants, inputs if literal else [])


def named(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    match target, value:
        case ast.Name(name), _:
            yield name, value
        case ast.Tuple(names), ast.Tuple(values):
            for one, part in zip(names, values, strict=True):
                yield from named(one, part)
        case _:
            pass


def integer_constant(
    name: str, value: ast.expr, namespace: dict[str, Any]
) -> dict[str, Value]:
    """What stands there without a name in it; names have their value elsewhere."""
    if any(isinstance(node, ast.Name | ast.Call) for node in ast.walk(value)):
        return {}
    made: Any = eval(compile(ast.Expression(value), "", "eval"), namespace)
    if type(made) is int:
        return {name: made}
    elements: list[Any] = list(made) if isinstance(made, list | tuple) else []  # pyright: ignore[reportUnknownArgumentType]  # whatever the file says
    whole = bool(elements) and all(type(n) is int for n in elements)
    return {name: elements} if whole else {}


def drawn_shapes(function: ast.FunctionDef) -> Iterator[list[int | str]]:
    for node in ast.walk(function):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if node.func.attr in DRAWN:
            yield [extent_of(argument) for argument in node.args]


def extent_of(argument: ast.expr) -> int | str:
    """A number, or the text that stands for one."""
    match argument:
        case ast.Constant(int(value)):
            return value
        case _:
            return ast.unparse(argument)


def fake_mode_of(loaded: LoadedModel) -> AbstractContextManager[object]:
    """The mode of its tensors; real ones are seen as fake."""
    for tensor in (*loaded.model.parameters(), *tree_leaves(loaded.inputs)):
        if isinstance(tensor, FakeTensor):
            return tensor.fake_mode
    mode = FakeTensorMode(allow_non_fake_inputs=True)
    return mode


class Recorder(TorchDispatchMode):
    """Operators and the shapes of what they return."""

    def __init__(self) -> None:
        super().__init__()  # pyright: ignore[reportUnknownMemberType]  # torch's is untyped
        self.shapes: Shapes = []

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        made = func(*args, **(kwargs or {}))
        tensors = [t for t in tree_leaves(made) if isinstance(t, torch.Tensor)]
        self.shapes.append((str(func), tuple(tuple(t.shape) for t in tensors)))
        return made


@dataclass(frozen=True)
class Ran:
    shapes: Shapes
    multiplications: int


def run(path: Path, scale: Scale) -> Ran:
    """On fake tensors. What the model raises is raised."""
    loaded = make_untouched(ModelFile(path, run_file(path, at_scale(scale))))
    recorder, counter = Recorder(), FlopCounterMode(display=False)
    with torch.no_grad(), plain_tensors_as_buffers(loaded.model):
        with fake_mode_of(loaded), counter, recorder:
            loaded.model(*loaded.inputs)
    return Ran(recorder.shapes, counter.get_total_flops() // 2)


def alike(full: Shapes, small: Shapes, ones: bool) -> bool:
    """The same operators and ranks; without `ones`, none of extent 1 that was not."""
    if [name for name, _ in full] != [name for name, _ in small]:
        return False
    for (_, before), (_, after) in zip(full, small, strict=True):
        for a, b in zip(before, after, strict=True):
            if len(a) != len(b) or (0 in b and 0 not in a):
                return False
            if not ones and any(m == 1 != n for n, m in zip(a, b, strict=True)):
                return False
    return True


def candidates(problem: Problem, found: Found) -> Iterator[Scale]:
    kept = KEPT_IN.get(problem.id, ())
    multiple = MULTIPLE_IN.get(problem.id, found.multiple)
    choices = product((False, True), FEWEST, LENGTHS, BATCHES)
    for tied, fewest, lengths, batch in choices:
        chooser = Chooser(found, tied, lengths, batch, multiple, fewest)
        yield assigned(found, kept, chooser)


def assigned(found: Found, kept: Sequence[str], chooser: Chooser) -> Scale:
    """New values; what was larger stays larger, and small constants as written."""
    places = [
        (value, name, index)
        for name, content in found.constants.items()
        if not KEPT.search(name) and name not in kept
        for index, value in enumerate(
            [content] if isinstance(content, int) else content
        )
        if value > 4 or name.startswith("batch")
    ]
    values: dict[tuple[str, int], int] = {}
    for value, name, index in sorted(places, key=lambda place: place[0]):
        values[name, index] = chooser.extent(name, value)
    constants: dict[str, Value] = {}
    for name in dict.fromkeys(name for _, name, _ in places):
        content = found.constants[name]
        if isinstance(content, int):
            constants[name] = values[name, 0]
        else:
            rows = enumerate(content)
            constants[name] = [values.get((name, i), old) for i, old in rows]
    return Scale(constants, chooser.inputs(constants), sorted(chooser.repeated))


def listed(value: Value) -> Sequence[int]:
    return [value] if isinstance(value, int) else value


class Chooser:
    """Gives out extents, no two alike, unless `tied`: then like ones stay alike."""

    def __init__(
        self,
        found: Found,
        tied: bool,
        lengths: tuple[int, int],
        batch: int,
        multiple: int,
        fewest: int,
    ) -> None:
        self.found = found
        self.tied = tied
        self.batch = batch
        self.lengths = count(*lengths)
        first = max(SMALLEST, math.ceil(fewest / multiple)) | 1
        self.channels = (k * multiple for k in count(first, 2))
        written = found.constants.values()
        self.used = {n for n in written if isinstance(n, int) and 3 <= n <= 4}
        self.known: dict[int, int] = {}
        self.repeated: set[int] = set()

    def extent(self, name: str, value: int) -> int:
        if name.startswith("batch"):
            return self._new(iter((self.batch, 6, 7)))
        if self.tied and value in self.known:
            self.repeated.add(self.known[value])
            return self.known[value]
        source = self.lengths if SPATIAL.search(name) else self.channels
        self.known[value] = self._new(source)
        return self.known[value]

    def inputs(self, constants: Mapping[str, Value]) -> list[list[int]]:
        return [
            [self._input(extent, constants) for extent in shape]
            for shape in self.found.inputs
        ]

    def _input(self, extent: int | str, constants: Mapping[str, Value]) -> int:
        if isinstance(extent, int):
            return self.extent("height", extent) if extent > 8 else extent
        value = constants.get(extent, self.found.constants.get(extent, 0))
        assert isinstance(value, int)
        return value

    def _new(self, source: Iterator[int]) -> int:
        value = next(n for n in source if n not in self.used)
        self.used.add(value)
        return value


def reduced(problem: Problem) -> tuple[Scale, int]:
    if problem.id in GIVEN:
        scale = GIVEN[problem.id]
        return scale, run(problem.path, scale).multiplications
    found = found_in(problem.path)
    full = run(problem.path, NOTHING)
    second: tuple[Scale, int] | None = None
    for scale, small in outcomes(problem, found):
        if small.multiplications > MOST_MULTIPLICATIONS:
            continue
        if alike(full.shapes, small.shapes, ones=False):
            return scale, small.multiplications
        if second is None and alike(full.shapes, small.shapes, ones=True):
            second = scale, small.multiplications
    if second is not None:
        return second
    batch = {name: 1 for name in found.constants if name == "batch_size"}
    scale = Scale(batch, whole=True)
    return scale, run(problem.path, scale).multiplications


def outcomes(problem: Problem, found: Found) -> Iterator[tuple[Scale, Ran]]:
    seen: list[Scale] = []
    for scale in candidates(problem, found):
        if scale in seen:
            continue
        seen.append(scale)
        try:
            yield scale, run(problem.path, scale)
        except Exception as error:
            reason = str(error).partition("\n")[0][:90]
            print(f"  {problem.id}: {reason}", file=sys.stderr)


def main(arguments: Sequence[str]) -> None:
    warnings.simplefilter("ignore")
    logging.disable(logging.ERROR)
    folder, *ids = arguments
    table: dict[str, Any] = {}
    if TABLE.exists():
        table = json.loads(TABLE.read_text(encoding="utf-8"))
    for problem in find_problems(Path(folder), ids=ids):
        scale, products = reduced(problem)
        entry = {key: value for key, value in asdict(scale).items() if value}
        table[problem.id] = entry
        print(problem.id, f"{products / 1e6:.2f}M", json.dumps(entry), flush=True)
        write(table)


def write(table: Mapping[str, Any]) -> None:
    order = sorted(table, key=lambda id: tuple(int(n) for n in id.split("_")))
    rows = ",\n".join(f'"{id}": {json.dumps(table[id])}' for id in order)
    TABLE.write_text(f"{{\n{rows}\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
