"""A model with an open extent on a target: one artifact for each extent it meets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from xdsl.dialects.builtin import StringAttr

from mbc.api.artifact import Artifact
from mbc.api.lower import lower
from mbc.api.module import Module, argument_names
from mbc.errors import InvalidInput
from mbc.ir.attributes import Entry
from mbc.ir.execute import function_named
from mbc.ir.specialize import extent_among
from mbc.ir.types import Array
from mbc.runtime.runner import Runner


@dataclass
class Dispatcher:
    """Called as an `Artifact` is, at any extent; the weights are shared."""

    module: Module
    target: str
    options: Mapping[str, Entry]
    pipeline: str
    artifacts: dict[int, Artifact] = field(default_factory=dict[int, Artifact])
    """By extent, in the order of first calls."""
    _runner: Runner | None = field(default=None, repr=False)

    def at(self, extent: int) -> Artifact:
        """Lowered on first use; the same object from then on."""
        if extent not in self.artifacts:
            static = self.module.specialize(extent)
            made = lower(static, self.target, self.options, self.pipeline)
            made.use_runner(self._runner)
            self.artifacts[extent] = made
        return self.artifacts[extent]

    def use_runner(self, runner: Runner | None) -> None:
        """As `Artifact.use_runner`, for all extents."""
        self._runner = runner
        for artifact in self.artifacts.values():
            artifact.use_runner(runner)

    def __call__(self, *inputs: Any) -> Any:
        return self.at(self.extent_of(*inputs))(*inputs)

    def run(self, *inputs: Any) -> list[Array]:
        return self.at(self.extent_of(*inputs)).run(*inputs)

    def extent_of(self, *inputs: Any) -> int:
        """`InvalidInput` where the inputs disagree."""
        given = self.module.signature.input_values(inputs)
        function = function_named(self.module.op, "forward")
        shapes = [
            tuple(given[name].shape) if name in given else None
            for _, name in argument_names(function)
        ]
        return extent_among(function, shapes)


def dispatch(
    module: Module,
    target: str,
    options: Mapping[str, Entry] | None = None,
    pipeline: str = "",
) -> Dispatcher:
    """Emit `module` for `target` at every extent that it is called with, when it is.

    `InvalidInput` where no extent is open, or where calls change a parameter, which
    artifacts do not share.
    """
    if not module.is_open:
        raise InvalidInput("no extent of the model is open: use mbc.lower")
    for name in _updates(module):
        if name in module.parameters:
            raise InvalidInput(
                f"calls change parameter '{name}', which a model with an open extent "
                "cannot keep: use Module.specialize and mbc.lower"
            )
    return Dispatcher(module, target, options or {}, pipeline)


def _updates(module: Module) -> list[str]:
    function = function_named(module.op, "forward")
    found = [entry.data.get("mbc.updates") for entry in function.res_attrs or ()]
    return [name.data for name in found if isinstance(name, StringAttr)]
