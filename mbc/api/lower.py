"""From a module to an artifact: a pipeline, then emission. No toolchain is needed."""

from __future__ import annotations

from collections.abc import Mapping

from mbc.api.artifact import Artifact
from mbc.api.module import Module
from mbc.codegen.model import emit_model
from mbc.codegen.targets import Target, target_named
from mbc.ir.attributes import TARGET, Entry
from mbc.ir.context import new_context
from mbc.passes.pipeline import parse, run


def lower(
    module: Module,
    target: str,
    options: Mapping[str, Entry] | None = None,
    pipeline: str = "",
) -> Artifact:
    """Emit `module` for `target`, under `pipeline` or the target's default one.

    Hermetic: the same input and flags give byte-identical output, which says
    `unverified`. `InvalidInput` for an unknown target or option.
    """
    chosen = target_named(target, options)
    return lower_with(module, chosen, pipeline or chosen.pipeline, "unverified")


def lower_with(
    module: Module, target: Target, pipeline: str, provenance: str
) -> Artifact:
    """`provenance` says what is known of the result: unverified, or checked how."""
    op = module.op.clone()
    op.attributes[TARGET] = target.attribute()
    run(new_context(), op, parse(pipeline))
    own = dict(module.parameters)  # a buffer that the model updates is the artifact's
    return Artifact(emit_model(op), op, own, module.signature, pipeline, provenance)
