"""mbc's passes inside a driver of one's own, beside xDSL's passes: see embedding.md."""

from dataclasses import dataclass
from pathlib import Path

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser
from xdsl.passes import ModulePass, PassPipeline
from xdsl.transforms.common_subexpression_elimination import (
    CommonSubexpressionElimination,
)
from xdsl.universe import Universe

from mbc.codegen.model import emit_model
from mbc.errors import PassRefused
from mbc.ir.kernel import KernelOp
from mbc.passes.assign_target import AssignTargetPass
from mbc.passes.form_kernels import FormKernelsPass
from mbc.passes.fuse_epilogue import FuseEpiloguePass
from mbc.passes.hoist_parameters import HoistParametersPass
from mbc.passes.pack_operand import PackOperandPass
from mbc.passes.pipeline import pass_text
from mbc.passes.recognize_named_ops import RecognizeNamedOpsPass
from mbc.passes.set_tile import SetTilePass


@dataclass(frozen=True)
class CountKernelsPass(ModulePass):
    """A pass of one's own: mbc's ops are ordinary xDSL ops."""

    name = "count-kernels"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        labels = [k.label.data for k in op.walk() if isinstance(k, KernelOp)]
        print("kernels:", " ".join(labels))


def stock_context() -> Context:
    """Every dialect that is installed; mbc's is found by its entry point."""
    context = Context()
    for name, factory in Universe.get_multiverse().all_dialects.items():
        context.register_dialect(name, factory)
    return context


def main() -> None:
    context = stock_context()
    text = Path(__file__).with_name("embedding.mlir").read_text()
    module = Parser(context, text).parse_module()

    PassPipeline(
        (
            CommonSubexpressionElimination(),
            RecognizeNamedOpsPass(),
            AssignTargetPass("rvv"),
            FormKernelsPass(),
            CountKernelsPass(),
            FuseEpiloguePass(),
            CountKernelsPass(),
        )
    ).apply(context, module)
    module.verify()

    # A pass lists what is legal; an instance is tried on a clone.
    choices = SetTilePass.schedule_space(context, module)
    print("tiles:", ", ".join(pass_text(choice) for choice in choices[:2]))
    tiled_context, tiled = choices[0].apply_to_clone(context, module)

    # What is not legal is refused in one sentence, and nothing has changed.
    try:
        SetTilePass(choices[0].kernel, (99,)).apply(context, module)
    except PassRefused as refusal:
        print("refused:", refusal.reason)

    PassPipeline((PackOperandPass(), HoistParametersPass())).apply(tiled_context, tiled)
    program = emit_model(tiled).forward.program
    print("launches:", " ".join(launch.function for launch in program.launches))


if __name__ == "__main__":
    main()
