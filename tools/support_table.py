"""docs/support.md: which family emits each named op on each target.

Run from the repository root to write it anew:

    PYTHONPATH=. python tools/support_table.py
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from mbc.codegen.families import match_kernel
from mbc.codegen.targets import Target, target_named
from mbc.ir.attributes import TARGET
from mbc.ir.context import new_context
from mbc.ir.kernel import kernels
from mbc.ir.ops import OPS
from mbc.passes.pipeline import parse, run
from tests.ir.samples import SAMPLES, module_of

DOCUMENT = Path(__file__).parents[1] / "docs/support.md"
TARGETS = {
    "RVV": target_named("rvv"),
    "OpenCL cpu": target_named("opencl", {"style": "cpu"}),
    "OpenCL gpu": target_named("opencl", {"style": "gpu"}),
    "OpenCL adreno": target_named("opencl", {"style": "adreno"}),
    "CUDA": target_named("cuda"),
}
HEAD = """\
# Support

Which families emit each named op, in f32, under a target's default pipeline; several
where an op becomes several kernels. `nest` is the plain loop nest: right, and untuned.
Elementwise `linalg.generic` is `map`. Every cell is executed by a test against the IR's
own meaning, CUDA in emulation. Written by `tools/support_table.py`; a test holds it.

"""


def document() -> str:
    header = ["op", *TARGETS]
    rows = [[f"`{op}`", *(cell(op, t) for t in TARGETS.values())] for op in sorted(OPS)]
    lines = [header, ["---"] * len(header), *rows]
    return HEAD + "".join(f"| {' | '.join(line)} |\n" for line in lines)


def cell(op: str, target: Target) -> str:
    """The families of the kernels that the op's sample becomes, in order."""
    sample = SAMPLES[op]
    module = module_of(sample.types, sample.body)
    module.attributes[TARGET] = target.attribute()
    run(new_context(), module, parse(target.pipeline))
    found = [match_kernel(kernel, target).family for kernel in kernels(module)]
    return ", ".join(dict.fromkeys(found)) or "no code"


def all_ops() -> ModuleOp:
    """The samples of all named ops side by side, so that each target builds once."""
    types = [type for sample in SAMPLES.values() for type in sample.types]

    def body(*values: SSAValue) -> Sequence[SSAValue]:
        rest, results = list(values), list[SSAValue]()
        for sample in SAMPLES.values():
            own, rest = rest[: len(sample.types)], rest[len(sample.types) :]
            made = sample.body(*own)
            results += [made] if isinstance(made, SSAValue) else list(made)
        return results

    return module_of(types, body)


if __name__ == "__main__":
    DOCUMENT.write_text(document(), encoding="utf-8")
