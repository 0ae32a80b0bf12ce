"""Which pass, or which kernel's text, makes a model's result wrong, and where least.

The pipeline is halved until one pass is left that a right module goes into and a wrong
one comes out of; then the model is cut down around it. Where all passes are right, each
kernel runs alone on its target, and the first wrong one is shrunk. The reference is
`execute`, the bound that of every check.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from mbc.api.check import prepared_values
from mbc.api.module import Module, argument_names, from_op
from mbc.codegen.targets import Target
from mbc.errors import BuildFailed, MbcError, PassRefused
from mbc.ir.context import new_context
from mbc.ir.execute import execute, function_named
from mbc.ir.kernel import KernelOp, kernels, single_kernel_module, source_of
from mbc.ir.resize import extents, resize
from mbc.ir.slices import slice_module
from mbc.ir.types import Array
from mbc.passes.pipeline import pass_text, run
from mbc.runtime.bound import Expected, Mismatch, compare, expected_results
from mbc.runtime.gates.candidate import Candidate
from mbc.runtime.inputs import random_arguments
from mbc.runtime.outcome import Failed
from mbc.runtime.runner import Runner

DEEPEST = 4
"""Producers that a cut keeps above an op, at most."""


@dataclass(frozen=True)
class Right:
    """No pass and no kernel is wrong on these inputs."""

    passes: int
    kernels: int


@dataclass(frozen=True)
class WrongPass:
    """`module` is the smallest found on which the pass goes wrong."""

    text: str
    position: int
    """Of the pass in the pipeline, from 0."""
    mismatch: str
    module: ModuleOp
    instance: ModulePass


@dataclass(frozen=True)
class WrongKernel:
    """`module` has it alone, at the smallest extents found; `source` is its text."""

    label: str
    mismatch: str
    module: ModuleOp
    source: str


Found = Right | WrongPass | WrongKernel
Tell = Callable[[str], None]


def bisect(
    module: Module,
    passes: Sequence[ModulePass],
    target: Target,
    runner: Runner | None,
    seed: int = 0,
    tell: Tell = lambda _: None,
) -> Found:
    """Look for what makes `module` wrong under `passes`, on random inputs of `seed`.

    Without a runner only the passes are looked at. Raises what a pass raises.
    """
    values = {**random_values(module.op, seed), **module.parameters}
    states = _states(module.op, passes, tell)
    expected = expected_results(module.op, ordered(module.op, values))

    def wrong(position: int) -> str:
        tell(f"the module after {position} passes")
        return _difference(expected, evaluate(states[position], values))

    if wrong(len(passes)):
        position = _first_wrong(len(passes), wrong)
        return _cut_down(states[position - 1], passes[position - 1], position - 1, seed)
    if runner is None:
        return Right(len(passes), 0)
    found = list(kernels(states[-1]))
    for kernel in found:
        tell(f"kernel {kernel.label.data} on {target.name}")
        text = kernel_difference(_candidate(states[-1], kernel, target), runner, seed)
        if text:
            return _shrunk(states[-1], kernel, target, runner, seed)
    return Right(len(passes), len(found))


def random_values(op: ModuleOp, seed: int) -> dict[str, Array]:
    """Arrays for every named argument of @forward and @prepare."""
    values: dict[str, Array] = {}
    for function in op.body.block.ops:
        if isinstance(function, func.FuncOp):
            drawn = random_arguments(function.body.block, seed)
            names = [name for _, name in argument_names(function)]
            values.update(zip(names, drawn, strict=True))
    return values


def ordered(op: ModuleOp, values: Mapping[str, Array]) -> list[Array]:
    """The arguments of @forward; what it takes from @prepare is computed."""
    prepared = iter(prepared_values(from_op(op, dict(values))))
    names = argument_names(function_named(op, "forward"))
    return [next(prepared) if k == "prepared" else values[n] for k, n in names]


def evaluate(op: ModuleOp, values: Mapping[str, Array]) -> list[Array]:
    return list(execute(function_named(op, "forward"), ordered(op, values)))


def _difference(expected: Sequence[Expected], got: Sequence[Array]) -> str:
    """A mismatch as a sentence, or the empty string."""
    verdict = compare(expected, got)
    return str(verdict) if isinstance(verdict, Mismatch) else ""


def _states(op: ModuleOp, passes: Sequence[ModulePass], tell: Tell) -> list[ModuleOp]:
    """The module before the first pass and after each."""
    states, current = [op], op.clone()

    def keep(instance: ModulePass, after: ModuleOp) -> None:
        tell(f"ran {pass_text(instance)}")
        states.append(after.clone())

    run(new_context(), current, passes, after=keep)
    return states


def _first_wrong(last: int, wrong: Callable[[int], str]) -> int:
    """The first position from 1 to `last` that is wrong behind one that is right."""
    right = 0
    while last - right > 1:
        middle = (right + last) // 2
        if wrong(middle):
            last = middle
        else:
            right = middle
    return last


def _cut_down(
    before: ModuleOp, instance: ModulePass, position: int, seed: int
) -> WrongPass:
    """The smallest part of a module, or all of it, on which a pass goes wrong."""
    smallest, text = before, pass_difference(before, instance, seed)
    for part in _parts(before):
        told = pass_difference(part, instance, seed)
        if told:
            smallest, text = part, told
            break
    return WrongPass(pass_text(instance), position, text, smallest, instance)


def _parts(module: ModuleOp) -> Iterator[ModuleOp]:
    """From single ops to ops with their producers, in program order."""
    block = function_named(module, "forward").body.block
    ops = [op for op in block.ops if _computes(op)]
    for depth in range(DEEPEST + 1):
        for op in ops:
            yield slice_module(module, op, depth)


def _computes(op: Operation) -> bool:
    return bool(op.operands) and any(isinstance(r.type, TensorType) for r in op.results)


def pass_difference(module: ModuleOp, instance: ModulePass, seed: int) -> str:
    """How the meaning of a module changes under a pass; empty where it does not, or
    where the pass has nothing to do with this module."""
    values = random_values(module, seed)
    after = module.clone()
    try:
        run(new_context(), after, [instance])
        expected = expected_results(module, ordered(module, values))
        return _difference(expected, evaluate(after, values))
    except MbcError:
        return ""


def _candidate(module: ModuleOp, kernel: KernelOp, target: Target) -> Candidate:
    text = "" if kernel.source is None else source_of(module, kernel).text.data
    return Candidate(kernel.copy(), target, text)


def kernel_difference(candidate: Candidate, runner: Runner, seed: int) -> str:
    """What is wrong about a kernel alone on its target, or the empty string."""
    kernel = candidate.kernel
    arrays = random_arguments(kernel.block, seed)
    program = candidate.program(kernel)
    named = {b.name: array for b, array in zip(program.inputs, arrays, strict=True)}
    outcome = runner.run(program, named)
    if isinstance(outcome, Failed):
        if outcome.kind == "blocked":
            raise BuildFailed(outcome.message, outcome.log)
        return outcome.message
    got = [outcome.outputs[buffer.name] for buffer in program.outputs]
    return _difference(expected_results(kernel, arrays), got)


def _shrunk(
    module: ModuleOp, kernel: KernelOp, target: Target, runner: Runner, seed: int
) -> WrongKernel:
    """Halves one extent after the other for as long as the kernel stays wrong."""
    label, candidate = kernel.label.data, _candidate(module, kernel, target)
    text = kernel_difference(candidate, runner, seed)
    for name in extents(kernel) if candidate.resizable else ():
        while (half := extents(candidate.kernel)[name] // 2) > 0:
            smaller = _resized(candidate, {name: half})
            told = smaller and kernel_difference(smaller, runner, seed)
            if not smaller or not told:
                break
            candidate, text = smaller, told
    alone = single_kernel_module(kernel) if kernel.source else _alone(candidate)
    source = candidate.program(candidate.kernel).source
    return WrongKernel(label, text, alone, source)


def _resized(candidate: Candidate, wanted: Mapping[str, int]) -> Candidate | None:
    """None where the kernel does not exist at these extents."""
    try:
        return Candidate(resize(candidate.kernel, wanted), candidate.target)
    except PassRefused:
        return None


def _alone(candidate: Candidate) -> ModuleOp:
    module = single_kernel_module(candidate.kernel)
    module.attributes["mbc.target"] = candidate.target.attribute()
    return module
