"""Targets as data: what a language can say, how it says it, what it defaults to.

A target is one file here plus a row in `TARGETS`; nothing else in mbc asks which
target it is compiling for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Literal, TypeVar

from xdsl.dialects.builtin import ModuleOp

from mbc.codegen.memory_plan import ALIGNMENT
from mbc.errors import InvalidInput
from mbc.ir.attributes import Entry, TargetAttr, target_of

TARGETS = {
    "cuda": "mbc.codegen.targets.cuda:CUDA",
    "opencl": "mbc.codegen.targets.opencl:OPENCL",
    "rvv": "mbc.codegen.targets.rvv:RVV",
}


MODEL_PIPELINE = (
    "recognize-named-ops,canonicalize,fuse-attention,fold-batch-norm,"
    "decompose-ops{ops=batch_norm},decompose-ops{ops=attention keep=f32},"
    "softmax-to-reductions,split-axes,widen-convolutions,"
    "conv-to-contract{only=pointwise},contract-to-reduction,"
    "form-kernels,fuse-elementwise,fuse-prologue,fuse-epilogue,fuse-reduction"
)


@dataclass(frozen=True)
class Option:
    """A target option: its default, its legal values and what it means."""

    default: Entry
    values: tuple[Entry, ...]
    meaning: str


@dataclass(frozen=True)
class Peaks:
    """Rates for the roofline, per time unit of the target's measurements.

    `unit` is "cycle" or "ns"; `flops` are f32 operations, `bandwidth` bytes from the
    outermost memory, `launch` the cost of one launch, each per or in that unit.
    """

    unit: Literal["cycle", "ns"]
    flops: float
    bandwidth: float
    launch: float
    lanes: int
    units: int
    cache_bytes: int
    products: Mapping[str, float] = field(default_factory=dict[str, float])
    """Rates of contractions and convolutions by element type, where a matrix unit has
    its own; of f32 as accurate as `flops`."""


Form = TypeVar("Form")


@dataclass(frozen=True)
class Target:
    """A language, its spelling, its limits and the pipeline that aims at it."""

    name: str
    simt: bool
    """Work items run in a grid; otherwise one thread with vector registers."""
    suffix: str
    """Of source files, with the dot."""
    types: Mapping[str, str]
    """Spelling of element types, by MLIR name."""
    kernel: str
    """What stands before a kernel's name."""
    pointer: str
    """What stands before the element type of a buffer parameter."""
    restrict: str
    work_item: str
    """The linear index of a work item; empty on hosts."""
    function_prefix: str
    """Before the C name of a math function: `mbc_` where the language has no libm."""
    float_suffix: str
    """Behind it for f32."""
    own_functions: frozenset[str]
    """C names of math functions that the prelude defines as `mbc_<name>`, for all
    types, because the language's own are wrong somewhere."""
    declared: Mapping[str, Option]
    kernel_pipeline: str
    """Kernel-level passes that every kernel gets by default; tuning replaces them."""
    peaks: Peaks
    prelude: str
    """Template that starts every translation unit."""
    headers: Mapping[str, str]
    """Helper headers by name: template path. Order is the order of inclusion."""
    build_notes: str
    """How a person builds the emitted source."""
    alignment: int = ALIGNMENT
    """Of buffers within the arena, in bytes."""
    options: Mapping[str, Entry] = field(default_factory=dict[str, Entry])
    model_pipeline: str = MODEL_PIPELINE
    """Model-level passes after `assign-target`: they decide which kernels exist."""
    final_pipeline: str = "hoist-parameters"
    """What comes last, when every kernel is as it will be emitted."""
    most_sums: int = 64
    """Sums of a contraction that one work item keeps in registers."""
    splits_reductions: bool = False
    """Whether a schedule says in how many parts a reduction is folded."""
    contract_stages: tuple[int, ...] = ()
    """Tiles of an operand that a contraction may keep in shared memory, if that is to
    choose."""
    large_block: tuple[int, int] | None = None
    """Work items for the largest tile of a contraction, where not the usual ones."""
    matrix_archs: tuple[str, ...] = ()
    """Values of the option `arch` whose GPUs sum products in a matrix unit."""

    @property
    def pipeline(self) -> str:
        """The whole default pipeline, after `assign-target`."""
        parts = (self.model_pipeline, self.kernel_pipeline, self.final_pipeline)
        return ",".join(part for part in parts if part)

    def option(self, name: str) -> Entry:
        return self.options.get(name, self.declared[name].default)

    def number(self, name: str) -> int:
        value = self.option(name)
        assert isinstance(value, int)
        return value

    def text(self, name: str) -> str:
        return str(self.option(name))

    @property
    def is_cpu_style(self) -> bool:
        """Whether one work item is to do the work of many, in wide vectors."""
        return "style" in self.declared and self.text("style") == "cpu"

    def in_style(self, forms: Mapping[str, Form]) -> Form:
        """The form of the target's style: the gpu style's where it has none."""
        return forms.get(self.text("style"), forms["gpu"])

    @property
    def has_matrix_unit(self) -> bool:
        return "arch" in self.declared and self.text("arch") in self.matrix_archs

    def build_options(self) -> tuple[tuple[str, str], ...]:
        """Every option with its value, as programs and manifests keep them."""
        return tuple((name, str(self.option(name))) for name in sorted(self.declared))

    def with_options(self, options: Mapping[str, Entry]) -> Target:
        """Checked against `declared`; `InvalidInput` names what is legal."""
        for name, value in options.items():
            if name not in self.declared:
                known = ", ".join(sorted(self.declared)) or "none"
                raise InvalidInput(
                    f"target '{self.name}' has no option '{name}'; options: {known}"
                )
            legal = self.declared[name].values
            if value not in legal:
                text = ", ".join(str(v) for v in legal)
                raise InvalidInput(
                    f"target '{self.name}': {name} = {value} is not one of {text}"
                )
        return replace(self, options={**self.options, **options})

    def attribute(self) -> TargetAttr:
        filled = {name: self.option(name) for name in self.declared}
        return TargetAttr.of(self.name, filled)


def target_named(name: str, options: Mapping[str, Entry] | None = None) -> Target:
    """The target with its options; `InvalidInput` lists the registered ones."""
    if name not in TARGETS:
        names = ", ".join(sorted(TARGETS))
        raise InvalidInput(
            f"target '{name}' not registered; registered targets: {names}"
        )
    module, attribute = TARGETS[name].split(":")
    target: Target = getattr(import_module(module), attribute)
    return target.with_options(options or {})


def module_target(module: ModuleOp) -> Target:
    """The target of a module that `assign-target` ran on."""
    attribute = target_of(module)
    if attribute is None:
        raise InvalidInput(
            "the module has no target: run assign-target or give --target"
        )
    return target_named(attribute.target.data, attribute.values())
