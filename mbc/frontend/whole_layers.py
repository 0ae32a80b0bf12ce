"""Recurrent layers as one operator each while a model is traced.

torch derives the shapes of an LSTM's results by walking all of its steps, which takes
a minute for some hundreds; the operators here, of the same arguments, say them at once.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

KINDS = {"lstm": 2, "gru": 1, "rnn_tanh": 1, "rnn_relu": 1}
"""torch's functions, and how many states each has."""
ARGUMENTS = (
    "Tensor input, Tensor[] states, Tensor[] weights, bool has_biases, int layers, "
    "float dropout, bool training, bool bidirectional, bool batch_first"
)

LIBRARY: Any = torch.library.Library("mbc", "FRAGMENT")


def _define(name: str, states: int) -> None:
    results = ", ".join(["Tensor"] * (1 + states))
    LIBRARY.define(f"{name}({ARGUMENTS}) -> ({results})")
    LIBRARY.impl(name, _computed(name), "CompositeExplicitAutograd")
    library: Any = torch.library
    library.register_fake(f"mbc::{name}", _shaped, lib=LIBRARY)


def _computed(name: str) -> Callable[..., Any]:
    """The layer itself, for a traced program that is run."""
    whole: Any = getattr(torch, name)

    def run(x: Tensor, states: Sequence[Tensor], *rest: Any) -> Any:
        return whole(x, states if KINDS[name] > 1 else states[0], *rest)

    return run


def _shaped(
    x: Tensor, states: Sequence[Tensor], weights: Sequence[Tensor], *rest: Any
) -> tuple[Tensor, ...]:
    bidirectional = rest[4]
    features = states[0].shape[-1] * (2 if bidirectional else 1)
    output = x.new_empty((*x.shape[:-1], features))
    return (output, *(state.new_empty(state.shape) for state in states))


for _name, _states in KINDS.items():
    _define(_name, _states)


@contextmanager
def whole_layers() -> Generator[None]:
    """What torch's layers call gives one operator; packed sequences stay torch's."""
    functions: Any = torch._VF  # pyright: ignore[reportPrivateUsage]  # layers call it
    kept = {name: getattr(functions, name) for name in KINDS}
    for name, plain in kept.items():
        setattr(functions, name, _whole(name, plain))
    try:
        yield
    finally:
        for name in kept:
            delattr(functions, name)


def _whole(name: str, plain: Callable[..., Any]) -> Callable[..., Any]:
    operator: Any = getattr(torch.ops.mbc, name)

    def call(x: Tensor, states: Any, weights: Any, *rest: Any) -> Any:
        if not isinstance(weights, list | tuple):
            return plain(x, states, weights, *rest)  # a packed sequence
        several = [states] if isinstance(states, Tensor) else list(states)
        return operator(x, several, weights, *rest)

    return call
