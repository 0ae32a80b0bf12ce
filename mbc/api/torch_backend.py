"""`torch.compile(model, backend="mbc", options={"target": "opencl"})`.

torch hands over each graph that it can trace. A graph is compiled when it first runs,
once for each set of input shapes; what mbc cannot compile runs in torch, and
`mbc.compile_report()` says which graphs those are and why.
"""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import torch
from torch import Tensor, fx, nn

from mbc.agent.loop import Budget
from mbc.api.artifact import Artifact
from mbc.api.lower import lower
from mbc.api.module import import_model
from mbc.api.tune import tune
from mbc.codegen.targets import target_named
from mbc.errors import InvalidInput, MbcError
from mbc.runtime.outcome import Failed

STATIC = "_dynamo_static_input_type"
"""torch's mark on graph inputs that are parameters or buffers."""


@dataclass(frozen=True)
class Options:
    """What `options=` of `torch.compile` may say.

    `target` is "opencl", or "cuda" for tensors on a GPU, where it is empty.
    `measurements` above zero tunes each graph with that budget; `kb` is the knowledge
    base that tuning reads and writes.
    """

    target: str = ""
    measurements: int = 0
    kb: str = ":memory:"

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Options:
        known = {field.name: field.type for field in fields(cls)}
        for name, value in given.items():
            if name not in known:
                names = ", ".join(known)
                raise InvalidInput(f"backend mbc has no option '{name}'; has: {names}")
            if type(value).__name__ != known[name]:
                raise InvalidInput(f"option '{name}' of backend mbc is a {known[name]}")
        options = cls(**given)
        if options.target:
            target_named(options.target)
        return options


@dataclass(frozen=True)
class GraphReport:
    """One graph that torch handed over."""

    operators: int
    versions: int
    """Sets of input shapes that it was compiled for."""
    calls: int
    in_torch: int
    """Calls that ran in torch."""
    reason: str
    """Why it does not run in mbc, or the empty string."""


@dataclass(frozen=True)
class CompileReport:
    graphs: tuple[GraphReport, ...]
    graph_breaks: Mapping[str, int]
    """Why torch cut a model into several graphs, and how often; torch's own words."""

    def __str__(self) -> str:
        lines = [
            f"graph {number}: {g.operators} operators, {g.versions} versions, "
            f"{g.calls} calls, {g.in_torch} of them in torch"
            + (f": {g.reason}" if g.reason else "")
            for number, g in enumerate(self.graphs)
        ]
        breaks = sum(self.graph_breaks.values())
        return "\n".join([*lines, f"graph breaks: {breaks}"])


def compile_report() -> CompileReport:
    """Every graph of the backend that is still in use, and torch's graph breaks."""
    counters: Any = torch._dynamo.utils.counters  # pyright: ignore[reportPrivateUsage, reportAttributeAccessIssue]  # the only place that counts them
    alive = [graph for reference in GRAPHS if (graph := reference()) is not None]
    reports = tuple(graph.report() for graph in alive)
    return CompileReport(reports, dict(counters["graph_break"]))


def compile_graph(
    graph: fx.GraphModule,
    example_inputs: Sequence[Any],
    options: Mapping[str, Any] | None = None,
) -> CompiledGraph:
    """torch's entry point: something to call in place of `graph`, compiled lazily."""
    compiled = CompiledGraph(graph, Options.of(options or {}), static_inputs(graph))
    GRAPHS.append(weakref.ref(compiled))
    return compiled


def static_inputs(graph: fx.GraphModule) -> frozenset[int]:
    """Positions of inputs that are parameters or buffers of the user's model."""
    inputs = [node for node in graph.graph.nodes if node.op == "placeholder"]
    marks: list[Any] = [node.meta.get("tensor_dict") for node in inputs]
    return frozenset(i for i, mark in enumerate(marks) if mark and STATIC in mark)


class BoundGraph(nn.Module):
    """The graph as a model of its own: parameters, and constants where torch has
    symbols; what is left are the inputs."""

    def __init__(
        self, graph: fx.GraphModule, given: Sequence[Any], static: frozenset[int]
    ):
        super().__init__()
        self.graph = graph
        self.given = [None if isinstance(v, Tensor) else v for v in given]
        self.inputs: list[int] = []
        for position, value in enumerate(given):
            if position in static and isinstance(value, nn.Parameter):
                self.register_parameter(parameter_name(position), value)
            elif position in static:
                self.register_buffer(parameter_name(position), value)
            elif isinstance(value, Tensor):
                self.inputs.append(position)

    def forward(self, *inputs: Tensor) -> Any:
        values: list[Any] = list(self.given)
        for position in range(len(values)):
            values[position] = getattr(self, parameter_name(position), values[position])
        for position, value in zip(self.inputs, inputs, strict=True):
            values[position] = value
        return self.graph(*values)


def parameter_name(position: int) -> str:
    return f"p{position}"


@dataclass
class Version:
    """The graph compiled for one set of input shapes."""

    artifact: Artifact
    inputs: Sequence[int]
    """Positions of what the artifact takes."""
    parameters: Mapping[str, int]
    """Positions of its parameters, by name."""
    seen: dict[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])

    def __call__(self, given: Sequence[Any]) -> Any:
        for name, position in self.parameters.items():
            self._refresh(name, given[position])
        results = self.artifact(*(given[position] for position in self.inputs))
        for name in self._updated():
            value = torch.as_tensor(self.artifact.parameters[name])
            given[self.parameters[name]].detach().copy_(value)
            self.seen[name] = state_of(given[self.parameters[name]])
        return results

    def _refresh(self, name: str, tensor: Tensor) -> None:
        """Weights that were changed or exchanged since the last call."""
        state = state_of(tensor)
        if self.seen.setdefault(name, state) != state:
            self.seen[name] = state
            self.artifact.replace(name, tensor)

    def _updated(self) -> list[str]:
        results = self.artifact.code.forward.results
        return [r.updates for r in results if r.updates in self.parameters]


def state_of(tensor: Tensor) -> tuple[int, int]:
    """Where a tensor lies and how often it was changed in place.

    Tensors of inference mode do not count their changes.
    """
    changes = 0 if tensor.is_inference() else tensor._version
    return tensor.data_ptr(), changes


@dataclass(eq=False)
class CompiledGraph:
    graph: fx.GraphModule
    options: Options
    static: frozenset[int]
    versions: dict[tuple[Any, ...], Version | str] = field(
        default_factory=dict[tuple[Any, ...], Version | str]
    )
    """By shapes and dtypes of inputs; a string says why torch runs those."""
    calls: int = 0
    in_torch: int = 0

    def __call__(self, *given: Any) -> Any:
        """The graph's results; `InvalidInput` where a gradient would be needed."""
        refuse_gradients(given)
        self.calls += 1
        key = tuple(described(value) for value in given)
        if key not in self.versions:
            self.versions[key] = self._compile(given)
        version = self.versions[key]
        if isinstance(version, Version):
            return version(given)
        self.in_torch += 1
        return self.graph(*given)

    def report(self) -> GraphReport:
        reasons = [v for v in self.versions.values() if isinstance(v, str)]
        operators = sum(n.op.startswith("call") for n in self.graph.graph.nodes)
        compiled = len(self.versions) - len(reasons)
        reason = reasons[0] if reasons else ""
        return GraphReport(operators, compiled, self.calls, self.in_torch, reason)

    def _compile(self, given: Sequence[Any]) -> Version | str:
        try:
            return self._version(given)
        except MbcError as error:
            warnings.warn(f"a graph runs in torch, not in mbc: {error}", stacklevel=4)
            return str(error)

    def _version(self, given: Sequence[Any]) -> Version:
        bound = BoundGraph(self.graph, given, self.static)
        module = import_model(bound.eval(), [given[i] for i in bound.inputs])
        target = self.options.target or default_target(given)
        if self.options.measurements:
            budget = Budget(measurements=self.options.measurements)
            tuned = tune(module, target, budget=budget, knowledge_path=self.options.kb)
            artifact = tuned.artifact
        else:
            artifact = lower(module, target)
        failed = artifact.resident()
        if isinstance(failed, Failed) and failed.kind == "compile_fail":
            raise InvalidInput(failed.message)
        named = {parameter_name(position): position for position in self.static}
        used = {name: named[name] for name in artifact.parameters if name in named}
        return Version(artifact, bound.inputs, used)


GRAPHS: list[weakref.ref[CompiledGraph]] = []


def described(value: Any) -> Any:
    """What a version holds for: a tensor's shape, dtype and place, or a number."""
    if isinstance(value, Tensor):
        return tuple(value.shape), value.dtype, value.device.type
    return value


def default_target(given: Sequence[Any]) -> str:
    on_gpu = any(isinstance(value, Tensor) and value.is_cuda for value in given)
    return "cuda" if on_gpu else "opencl"


def refuse_gradients(given: Sequence[Any]) -> None:
    if not torch.is_grad_enabled():
        return
    if any(isinstance(value, Tensor) and value.requires_grad for value in given):
        raise InvalidInput(
            "mbc does inference only: call the compiled model under torch.no_grad()"
        )
