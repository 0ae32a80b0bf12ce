"""From a module that its passes ran on to a target's source."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from mbc import Artifact, Module
from mbc.api.lower import lower_with
from mbc.api.module import from_op
from mbc.cli.opt_arguments import Options
from mbc.codegen.targets import module_target
from mbc.passes.pipeline import text_of

NO_PASSES = "builtin.module()"
"""They ran already, each with its dumps."""


def emit(module: ModuleOp) -> str:
    """The translation unit with its own header; what builds it is for folders."""
    sources = _artifact(from_op(module)).sources
    unit = next(iter(sources.values()))
    for name, text in sources.items():
        unit = unit.replace(f'#include "{name}"\n', text)
    return unit


def emit_folder(
    module: ModuleOp, passes: Sequence[ModulePass], options: Options
) -> None:
    """All files, with the parameters that lie beside the input."""
    read = Module.load(options.input)
    artifact = _artifact(Module(module, read.parameters, read.signature))
    artifact.pipeline = text_of(passes)
    artifact.save(options.output)


def _artifact(module: Module) -> Artifact:
    return lower_with(module, module_target(module.op), NO_PASSES, "unverified")
