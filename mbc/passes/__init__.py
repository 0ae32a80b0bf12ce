"""Rewrite passes, one per file; an instance of a pass is an action.

`PASSES` is the registry: pass name to where its class is. Adding a pass is one file,
one row here and one FileCheck test.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module

from xdsl.passes import ModulePass

PASSES = {
    "assign-target": "mbc.passes.assign_target:AssignTargetPass",
    "canonicalize": "mbc.passes.canonicalize:CanonicalizePass",
    "choose-layout": "mbc.passes.choose_layout:ChooseLayoutPass",
    "contract-to-reduction": (
        "mbc.passes.contract_to_reduction:ContractToReductionPass"
    ),
    "conv-to-contract": "mbc.passes.conv_to_contract:ConvToContractPass",
    "decompose-ops": "mbc.passes.decompose_ops:DecomposeOpsPass",
    "fold-batch-norm": "mbc.passes.fold_batch_norm:FoldBatchNormPass",
    "form-kernels": "mbc.passes.form_kernels:FormKernelsPass",
    "fuse-attention": "mbc.passes.fuse_attention:FuseAttentionPass",
    "fuse-elementwise": "mbc.passes.fuse_elementwise:FuseElementwisePass",
    "fuse-epilogue": "mbc.passes.fuse_epilogue:FuseEpiloguePass",
    "fuse-prologue": "mbc.passes.fuse_prologue:FuseProloguePass",
    "fuse-reduction": "mbc.passes.fuse_reduction:FuseReductionPass",
    "hoist-parameters": "mbc.passes.hoist_parameters:HoistParametersPass",
    "pack-operand": "mbc.passes.pack_operand:PackOperandPass",
    "recognize-named-ops": "mbc.passes.recognize_named_ops:RecognizeNamedOpsPass",
    "set-parallel": "mbc.passes.set_parallel:SetParallelPass",
    "set-stages": "mbc.passes.set_stages:SetStagesPass",
    "set-tile": "mbc.passes.set_tile:SetTilePass",
    "set-unroll": "mbc.passes.set_unroll:SetUnrollPass",
    "set-vector": "mbc.passes.set_vector:SetVectorPass",
    "softmax-to-reductions": "mbc.passes.softmax_to_reductions:SoftmaxToReductionsPass",
    "specialize": "mbc.passes.specialize:SpecializePass",
    "split-axes": "mbc.passes.split_axes:SplitAxesPass",
    "split-kernel": "mbc.passes.split_kernel:SplitKernelPass",
    "split-reduction": "mbc.passes.split_reduction:SplitReductionPass",
    "use-matrix-unit": "mbc.passes.use_matrix_unit:UseMatrixUnitPass",
    "use-source": "mbc.passes.use_source:UseSourcePass",
    "widen-convolutions": "mbc.passes.widen_convolutions:WidenConvolutionsPass",
}

PassFactory = Callable[[], type[ModulePass]]


def pass_class(name: str) -> type[ModulePass]:
    module, attribute = PASSES[name].split(":")
    return getattr(import_module(module), attribute)


def all_passes() -> dict[str, PassFactory]:
    """xDSL's passes and ours, which win where a name is in both."""
    from xdsl.transforms import get_all_passes

    ours = {name: partial(pass_class, name) for name in PASSES}
    return {**get_all_passes(), **ours}
