"""torch.export to functional, high-level ATen, its failures as one sentence.

Operators that templates and the knowledge base reason about are kept whole; torch's
own decompositions turn the rest into core ATen, so that unknown ones degrade.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn
from torch.export import ExportedProgram, default_decompositions, export

from mbc.errors import UnsupportedModel
from mbc.frontend.locations import error_location, short
from mbc.frontend.whole_layers import whole_layers

KEEP = (
    *(f"conv{n}d.{form}" for n in (1, 2, 3) for form in ("default", "padding")),
    "conv_transpose1d.default",
    "conv_transpose2d.input",
    "conv_transpose3d.input",
    *(f"{name}.default" for name in ("linear", "matmul")),
    *(f"{name}_norm.default" for name in ("layer", "group", "instance", "rms")),
    "softmax.int",
    "log_softmax.int",
    "logsumexp.default",
    "scaled_dot_product_attention.default",
    *(
        f"{name}.default"
        for name in (
            "gelu",
            "silu",
            "mish",
            "hardswish",
            "hardsigmoid",
            "softplus",
            "selu",
            "elu",
        )
    ),
    *(f"upsample_nearest{n}d.vec" for n in (1, 2, 3)),
    *(f"_upsample_nearest_exact{n}d.vec" for n in (1, 2, 3)),
    "upsample_linear1d.vec",
    "upsample_bilinear2d.vec",
    "upsample_trilinear3d.vec",
    "upsample_bicubic2d.vec",
    *(
        f"{kind}_pad{n}d.default"
        for kind in ("reflection", "replication")
        for n in (1, 2, 3)
    ),
    *(f"{cell}.input" for cell in ("lstm", "gru", "rnn_tanh", "rnn_relu")),
    *(
        f"{kind}_pool{n}d.default"
        for kind in ("max", "avg", "adaptive_avg")
        for n in (1, 2, 3)
    ),
)

EXPORT_ERRORS = (RuntimeError, ValueError, TypeError, AttributeError, LookupError)
"""What torch.export and the model's own code under it raise."""

DROPOUTS = (
    nn.Dropout
    | nn.Dropout1d
    | nn.Dropout2d
    | nn.Dropout3d
    | nn.AlphaDropout
    | nn.FeatureAlphaDropout
)
NORMS = nn.BatchNorm1d | nn.BatchNorm2d | nn.BatchNorm3d | nn.SyncBatchNorm

BATCH_OF_ONE = (
    "an example extent of 1 cannot stand for a dynamic dimension: "
    "use an example batch of at least 2"
)


def hybrid_table() -> Any:
    """torch's decompositions without those of the kept operators."""
    table: Any = default_decompositions()
    for name in KEEP:
        packet, overload = name.split(".")
        table.pop(getattr(getattr(torch.ops.aten, packet), overload), None)
    return table


def export_program(
    model: nn.Module, inputs: Sequence[Any], dynamic_shapes: Any = None
) -> ExportedProgram:
    """The functional program of a model; `UnsupportedModel` if there is none."""
    refuse_gradients(inputs)
    try:
        with torch.no_grad(), plain_tensors_as_buffers(model), whole_layers():
            program: Any = export(
                model, tuple(inputs), dynamic_shapes=dynamic_shapes, strict=False
            )
            program = program.run_decompositions(hybrid_table())
    except EXPORT_ERRORS as error:
        raise translated(error, inputs, dynamic_shapes) from error
    return program


@contextmanager
def plain_tensors_as_buffers(model: nn.Module) -> Generator[None]:
    """Tensors that are plain attributes are state, too: buffers during an export."""
    modules: Any = model.modules
    layers: list[nn.Module] = list(modules())
    plain = [
        (layer, name, value)
        for layer in layers
        for name, value in vars(layer).items()
        if isinstance(value, torch.Tensor)
    ]
    for layer, name, value in plain:
        delattr(layer, name)
        layer.register_buffer(name, value, persistent=False)
    try:
        yield
    finally:
        for layer, name, value in plain:
            delattr(layer, name)
            setattr(layer, name, value)


def refuse_gradients(inputs: Sequence[Any]) -> None:
    for position, value in enumerate(inputs):
        if isinstance(value, torch.Tensor) and value.requires_grad:
            raise UnsupportedModel(
                f"example input {position} requires a gradient: mbc compiles "
                "inference only, so pass it detached"
            )


def translated(
    error: Exception, inputs: Sequence[Any], dynamic_shapes: Any
) -> UnsupportedModel:
    """An export failure as one sentence with the user's line."""
    location = error_location(error)
    place = f" ({short(location)})" if location else ""
    text = str(error)
    ones = any(isinstance(x, torch.Tensor) and 1 in x.shape for x in inputs)
    if dynamic_shapes is not None and ones:
        return UnsupportedModel(BATCH_OF_ONE, location)
    if "data-dependent" in text.lower():
        return UnsupportedModel(
            f"the model's control flow depends on the values of a tensor{place}: "
            "compute both branches and select with torch.where",
            location,
        )
    if "Constraints violated" in text:
        return UnsupportedModel(
            "the model does not take every extent of a dynamic dimension: "
            f"{violation(text)}",
            location,
        )
    first = next((line for line in text.splitlines() if line.strip()), "no message")
    reason = f"{type(error).__name__}: {first.strip()}"
    return UnsupportedModel(f"torch.export failed{place}: {reason}", location)


def violation(text: str) -> str:
    """Of what torch says of a dimension: what it suggests, else complains of."""
    lines = [line.strip() for line in text.splitlines()]
    if "Suggested fixes:" in lines:
        suggested = lines[lines.index("Suggested fixes:") + 1 :]
        end = suggested.index("") if "" in suggested else len(suggested)
        return f"torch suggests {', '.join(suggested[:end])}"
    complaints = (line[2:] for line in lines if line.startswith("- "))
    return next(complaints, lines[0])


def training_warnings(model: nn.Module) -> list[str]:
    """One line for every layer that computes something else in training mode."""
    modules: Any = model.named_modules
    return [
        f"{path or 'the model'}: {type(layer).__name__} is in training mode"
        for path, layer in modules()
        if layer.training and differs_in_training(layer)
    ]


def differs_in_training(layer: nn.Module) -> bool:
    if isinstance(layer, nn.RNNBase | nn.MultiheadAttention):
        return layer.dropout > 0
    if isinstance(layer, DROPOUTS):
        return layer.p > 0
    return isinstance(layer, NORMS | nn.RReLU)
