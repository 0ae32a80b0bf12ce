"""Softmax, the norms and attention as the dialect's named ops."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from xdsl.ir import SSAValue

from mbc.frontend.aten.call import Call, Lowering, wrap
from mbc.frontend.aten.convolution import add_per_channel
from mbc.frontend.aten.reduction import combine, mean_and_variance, reduced_axes
from mbc.frontend.unsupported import Unsupported
from mbc.ir import build
from mbc.ir.arithmetic import add, constant, multiply, rsqrt
from mbc.ir.ops.batch_norm import BatchNormOp
from mbc.ir.ops.group_norm import GroupNormOp
from mbc.ir.ops.layer_norm import LayerNormOp
from mbc.ir.ops.logsumexp import LogsumexpOp
from mbc.ir.ops.rms_norm import RmsNormOp
from mbc.ir.ops.softmax import SoftmaxOp
from mbc.ir.types import element_of, shape_of

MaybeValue = SSAValue | None


def softmax(log: bool) -> Lowering:
    def lower(
        call: Call, x: SSAValue, axis: int, dtype: torch.dtype | bool | None = None
    ) -> SSAValue:
        if not shape_of(x):
            row = build.reshape(call.cast(x), (1,))
            return build.reshape(SoftmaxOp.along(row, 0, log).result, ())
        axis = wrap(axis, len(shape_of(x)))
        return SoftmaxOp.along(call.cast(x), axis, log).result

    return lower


def logsumexp(
    call: Call, x: SSAValue, axes: Sequence[int], keepdims: bool = False
) -> SSAValue:
    """Several axes are merged into one behind the others."""
    shape = shape_of(x)
    folded = reduced_axes(axes, len(shape))
    kept = [i for i in range(len(shape)) if i not in folded]
    if len(folded) == 1:
        (axis,) = folded
        return LogsumexpOp.of([call.cast(x)], axis=axis, keepdims=keepdims).result
    moved = build.transpose(call.cast(x), [*kept, *folded])
    lead = [shape[i] for i in kept]
    size = 1
    for axis in folded:
        size *= shape[axis]
    rows = build.reshape(moved, [*lead, size])
    result = LogsumexpOp.of([rows], axis=len(lead), keepdims=False).result
    return build.reshape(result, call.shape)


def _affine(scale: MaybeValue, shift: MaybeValue) -> tuple[list[SSAValue], MaybeValue]:
    """What a norm op takes, and the shift it cannot take without a scale."""
    if scale is None:
        return [], shift
    return ([scale] if shift is None else [scale, shift]), None


def layer_norm(
    call: Call,
    x: SSAValue,
    normalized: Sequence[int],
    scale: MaybeValue = None,
    shift: MaybeValue = None,
    eps: float = 1e-5,
    cudnn: bool = True,
) -> SSAValue:
    affine, rest = _affine(scale, shift)
    result = LayerNormOp.of([x, *affine], axes=len(normalized), eps=eps).result
    return result if rest is None else combine(add, result, rest)


def group_norm(
    call: Call,
    x: SSAValue,
    groups: int,
    scale: MaybeValue = None,
    shift: MaybeValue = None,
    eps: float = 1e-5,
    cudnn: bool = True,
) -> SSAValue:
    affine, rest = _affine(scale, shift)
    result = GroupNormOp.of([x, *affine], groups=groups, eps=eps).result
    return result if rest is None else add_per_channel(result, rest)


def instance_norm(
    call: Call,
    x: SSAValue,
    scale: MaybeValue,
    shift: MaybeValue,
    mean: MaybeValue,
    variance: MaybeValue,
    from_input: bool,
    momentum: float,
    eps: float,
    cudnn: bool = True,
) -> SSAValue:
    if from_input:
        return group_norm(call, x, shape_of(x)[1], scale, shift, eps)
    if mean is None or variance is None:
        raise Unsupported("no running statistics")
    return _normalize(x, mean, variance, scale, shift, eps)


def rms_norm(
    call: Call,
    x: SSAValue,
    normalized: Sequence[int],
    scale: MaybeValue = None,
    eps: float | None = None,
) -> SSAValue:
    margin = torch.finfo(call.dtype).eps if eps is None else eps
    operands = [x] if scale is None else [x, scale]
    return RmsNormOp.of(operands, axes=len(normalized), eps=margin).result


def batch_norm_inference(
    call: Call,
    x: SSAValue,
    scale: MaybeValue,
    shift: MaybeValue,
    mean: SSAValue,
    variance: SSAValue,
    momentum: float,
    eps: float,
) -> list[MaybeValue]:
    return [_normalize(x, mean, variance, scale, shift, eps), None, None]


def batch_norm_training(
    call: Call,
    x: SSAValue,
    scale: MaybeValue,
    shift: MaybeValue,
    mean: SSAValue,
    variance: SSAValue,
    training: bool,
    momentum: float,
    eps: float,
) -> list[MaybeValue]:
    """The batch's own statistics; results 3 and 4 are the new running ones."""
    if not training:
        normal = _normalize(x, mean, variance, scale, shift, eps)
        return [normal, None, None, mean, variance]
    result, batch_mean, batch_variance = _by_batch(x, scale, shift, eps)
    count = call.metas[x].numel() // shape_of(x)[1]
    unbiased = count / max(count - 1, 1)
    return [
        result,
        batch_mean,
        _inverse_root(batch_variance, eps),
        _blend(mean, batch_mean, 1 - momentum, momentum),
        _blend(variance, batch_variance, 1 - momentum, momentum * unbiased),
    ]


def batch_norm_without_statistics(
    call: Call,
    x: SSAValue,
    scale: MaybeValue,
    shift: MaybeValue,
    training: bool,
    momentum: float,
    eps: float,
) -> list[MaybeValue]:
    result, mean, variance = _by_batch(x, scale, shift, eps)
    return [result, mean, _inverse_root(variance, eps)]


def _by_batch(
    x: SSAValue, scale: MaybeValue, shift: MaybeValue, eps: float
) -> tuple[SSAValue, SSAValue, SSAValue]:
    axes = [i for i in range(len(shape_of(x))) if i != 1]
    mean, variance = mean_and_variance(x, axes)
    return _normalize(x, mean, variance, scale, shift, eps), mean, variance


def _normalize(
    x: SSAValue,
    mean: SSAValue,
    variance: SSAValue,
    scale: MaybeValue,
    shift: MaybeValue,
    eps: float,
) -> SSAValue:
    affine, rest = _affine(scale, shift)
    result = BatchNormOp.of([x, mean, variance, *affine], eps=eps).result
    return result if rest is None else add_per_channel(result, rest)


def _blend(old: SSAValue, new: SSAValue, keep: float, take: float) -> SSAValue:
    element = element_of(old)

    def body(a: SSAValue, b: SSAValue) -> SSAValue:
        weights = constant(keep, element), constant(take, element)
        return add(multiply(a, weights[0]), multiply(b, weights[1]))

    return build.elementwise([old, new], shape_of(old), element, body)


def _inverse_root(variance: SSAValue, eps: float) -> SSAValue:
    element = element_of(variance)
    return build.elementwise(
        [variance],
        shape_of(variance),
        element,
        lambda v: rsqrt(add(v, constant(eps, element))),
    )


LOWERINGS: dict[str, Lowering] = {
    "softmax.int": softmax(log=False),
    "_softmax.default": softmax(log=False),
    "log_softmax.int": softmax(log=True),
    "_log_softmax.default": softmax(log=True),
    "logsumexp.default": logsumexp,
    "layer_norm.default": layer_norm,
    "group_norm.default": group_norm,
    "instance_norm.default": instance_norm,
    "rms_norm.default": rms_norm,
    "_native_batch_norm_legit_no_training.default": batch_norm_inference,
    "_native_batch_norm_legit_functional.default": batch_norm_training,
    "_native_batch_norm_legit.no_stats": batch_norm_without_statistics,
}
