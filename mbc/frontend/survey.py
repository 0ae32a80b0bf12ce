"""Everything that an export says about a model, without the memory of its tensors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, SSAValue

from mbc.errors import Location, UnsupportedModel
from mbc.frontend.arguments import arguments_of
from mbc.frontend.aten.random import DRAWS
from mbc.frontend.example_inputs import input_findings
from mbc.frontend.export import export_program, training_warnings
from mbc.frontend.findings import Finding
from mbc.frontend.locations import node_location
from mbc.frontend.lower import live_nodes
from mbc.frontend.model_file import LoadedModel, ModelFile
from mbc.frontend.torch_export import (
    Draft,
    Results,
    draft_of,
    module_of,
    output_node,
    strange_arguments,
)
from mbc.frontend.untouched import make_untouched


@dataclass(frozen=True)
class Survey:
    """`module` is @forward, where the model can be imported."""

    findings: tuple[Finding, ...]
    module: ModuleOp | None


def survey(file: ModelFile) -> Survey:
    """Of the model as `mbc import` takes it; what the file's code raises is raised."""
    loaded = make_untouched(file)
    findings = [*training_findings(loaded), *input_findings(loaded.inputs)]
    loaded.model.eval()
    try:
        draft = draft_of(export_program(loaded.model, loaded.inputs))
        refused = [*unsupported(draft)]
        findings += [*refused, *random_operators(draft)]
        if refused:
            findings += argument_findings(draft, read_by_graph(draft))
            return Survey(tuple(findings), None)
        results = draft.finish()
    except UnsupportedModel as error:
        places = () if error.location is None else (error.location,)
        found = Finding("error", "not-importable", error.message, places)
        return Survey((*findings, found), None)
    findings += argument_findings(draft, read_by_function(draft))
    findings += [*changes(draft, results), *result_findings(draft, results)]
    module = module_of("forward", draft.block, draft.arguments, results)
    return Survey(tuple(findings), module)


def training_findings(loaded: LoadedModel) -> Iterator[Finding]:
    for warning in training_warnings(loaded.model):
        text = f"{warning} in the file, and files are imported in evaluation mode"
        yield Finding("warning", "training-mode", text)


def unsupported(draft: Draft) -> Iterator[Finding]:
    for text in strange_arguments(draft.arguments):
        yield Finding("error", "unsupported-type", text)
    for (operator, reason), places in draft.lowerer.problems.uses.items():
        why = f": {reason}" if reason else ""
        found = tuple(place for place in places if place is not None)
        text = f"{operator} is not supported{why}"
        yield Finding("error", "unsupported-operator", text, found)


def random_operators(draft: Draft) -> Iterator[Finding]:
    live = live_nodes(output_node(draft.program))
    uses: dict[str, list[Location]] = {}
    for node in draft.program.graph.nodes:
        name = str(node.target)
        if node in live and name.removeprefix("aten.") in DRAWS:
            place = node_location(node)
            uses.setdefault(name, []).extend([] if place is None else [place])
    for name, places in uses.items():
        text = f"{name} draws random numbers, which differ from call to call"
        yield Finding("warning", "random-operator", text, tuple(places))


def read_by_graph(draft: Draft) -> set[str]:
    """Names of arguments that some result depends on, as far as export knows."""
    live = live_nodes(output_node(draft.program))
    return {a.name for a in draft.arguments if live.intersection(a.nodes)}


def read_by_function(draft: Draft) -> set[str]:
    """The same where everything is lowered: what gives its shape only is not read."""
    pairs = zip(draft.arguments, draft.block.args, strict=True)
    return {argument.name for argument, value in pairs if value.first_use}


def argument_findings(draft: Draft, read: set[str]) -> Iterator[Finding]:
    """Of inputs and parameters: unread or tied."""
    for argument in arguments_of(draft.program):
        if argument.name not in read and argument.tensor is None:
            text = f"no result depends on input '{argument.name}'"
            yield Finding("warning", "ignored-input", text)
        elif argument.name not in read:
            text = f"no result depends on parameter '{argument.name}'"
            yield Finding("note", "unused-parameter", text)
        elif len(argument.nodes) > 1:
            text = f"parameter '{argument.name}' is used under several names"
            yield Finding("note", "tied-parameter", text)


def changes(draft: Draft, results: Results) -> Iterator[Finding]:
    """Inputs and parameters that get another value by every call."""
    for argument in draft.arguments:
        if argument.name in results.updated:
            role = "input" if argument.tensor is None else "parameter"
            text = f"every call changes {role} '{argument.name}'"
            yield Finding("note", f"changed-{role}", text)


def result_findings(draft: Draft, results: Results) -> Iterator[Finding]:
    """Of outputs: an input itself, or a constant."""
    inputs = inputs_of(draft)
    reached = reached_from(draft.block, set(inputs.values()))
    names = {v: name for name, v in inputs.items()}
    for index, (value, attributes) in enumerate(results.values):
        if "mbc.output" not in attributes:
            continue
        if value in names:
            text = f"output {index} is input '{names[value]}' itself"
            yield Finding("note", "aliased-output", text)
        elif value not in reached:
            text = f"output {index} depends on no input"
            yield Finding("warning", "constant-output", text)


def inputs_of(draft: Draft) -> dict[str, SSAValue]:
    pairs = zip(draft.arguments, draft.block.args, strict=True)
    return {argument.name: v for argument, v in pairs if argument.tensor is None}


def reached_from(block: Block, sources: set[SSAValue]) -> set[SSAValue]:
    """The values that depend on one of `sources`, by structure alone."""
    reached = set(sources)
    for op in block.ops:
        operands = {v for nested in op.walk() for v in nested.operands}
        if operands & reached:
            reached.update(op.results)
    return reached
