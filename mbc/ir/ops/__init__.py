"""The named tensor ops of the dialect, as data: op name to where it is defined.

Adding an op is one file here, one row below, one FileCheck test and one sample.
"""

from __future__ import annotations

from importlib import import_module

from mbc.ir.tensor_op import TensorOp

OPS = {
    "mbc.arg_reduce": "mbc.ir.ops.arg_reduce:ArgReduceOp",
    "mbc.attention": "mbc.ir.ops.attention:AttentionOp",
    "mbc.batch_norm": "mbc.ir.ops.batch_norm:BatchNormOp",
    "mbc.concat": "mbc.ir.ops.concat:ConcatOp",
    "mbc.contract": "mbc.ir.ops.contract:ContractOp",
    "mbc.conv": "mbc.ir.ops.conv:ConvOp",
    "mbc.conv_transpose": "mbc.ir.ops.conv_transpose:ConvTransposeOp",
    "mbc.gather": "mbc.ir.ops.gather:GatherOp",
    "mbc.group_norm": "mbc.ir.ops.group_norm:GroupNormOp",
    "mbc.interpolate": "mbc.ir.ops.interpolate:InterpolateOp",
    "mbc.layer_norm": "mbc.ir.ops.layer_norm:LayerNormOp",
    "mbc.logsumexp": "mbc.ir.ops.logsumexp:LogsumexpOp",
    "mbc.pack": "mbc.ir.ops.pack:PackOp",
    "mbc.pad": "mbc.ir.ops.pad:PadOp",
    "mbc.pool": "mbc.ir.ops.pool:PoolOp",
    "mbc.random": "mbc.ir.ops.random:RandomOp",
    "mbc.recurrent": "mbc.ir.ops.recurrent:RecurrentOp",
    "mbc.reduce": "mbc.ir.ops.reduce:ReduceOp",
    "mbc.rms_norm": "mbc.ir.ops.rms_norm:RmsNormOp",
    "mbc.scan": "mbc.ir.ops.scan:ScanOp",
    "mbc.scatter": "mbc.ir.ops.scatter:ScatterOp",
    "mbc.softmax": "mbc.ir.ops.softmax:SoftmaxOp",
    "mbc.sort": "mbc.ir.ops.sort:SortOp",
    "mbc.unpack": "mbc.ir.ops.unpack:UnpackOp",
}


def op_class(name: str) -> type[TensorOp]:
    module, attribute = OPS[name].split(":")
    return getattr(import_module(module), attribute)
