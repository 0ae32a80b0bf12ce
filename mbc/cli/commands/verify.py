"""`mbc verify`: the gates on a kernel that a person wrote, or on the emitted one."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from mbc.cli.arguments import Parser
from mbc.cli.commands import Commands, add_command
from mbc.cli.commands.models import add_sandbox, add_target, chosen_target, load_model
from mbc.cli.diagnostics import FAILED, OK
from mbc.cli.output import read_text
from mbc.errors import InvalidInput, ToolMissing, WrongResult

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from mbc.codegen.targets import Target
    from mbc.ir.kernel import KernelOp
    from mbc.runtime.gates.candidate import Candidate
    from mbc.runtime.gates.judge import Judge
    from mbc.runtime.gates.report import Report
    from mbc.runtime.runner import Runner

BUILD_VERDICTS = ("refused", "compile_fail")


def add_to(commands: Commands) -> None:
    parser = add_command(
        commands, "verify", "Judge a kernel's source by every gate.", execute
    )
    parser.add_argument(
        "source", metavar="SOURCE", help="the kernel's text, or - for the emitted one"
    )
    parser.add_argument(
        "--kernel",
        required=True,
        metavar="MODEL:LABEL",
        help="what it must compute, like model.mlir:k3",
    )
    add_target(parser)
    _add_conditions(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def _add_conditions(parser: Parser) -> None:
    parser.add_argument(
        "--any-extents",
        action="store_true",
        help="the text reads its extents from named constants",
    )
    parser.add_argument(
        "--where",
        default="",
        metavar="CONDITIONS",
        help="like 'N0 %% 4 == 0, N1 <= 64'",
    )
    parser.add_argument(
        "--numerics",
        default="strict",
        metavar="CLASS",
        help="strict (default), fast, bit_exact or relaxed(1e-3)",
    )
    add_sandbox(parser)


def execute(arguments: argparse.Namespace) -> int:
    name, options = chosen_target(arguments)
    from mbc.codegen.targets import target_named
    from mbc.runtime.isolation import require_sandbox
    from mbc.runtime.outcome import EmitOnly
    from mbc.runtime.runner import runner_for

    target = target_named(name, options)
    candidate = _candidate(arguments, target)
    if arguments.require_sandbox:
        require_sandbox()
    runner = runner_for(name)
    try:
        available = runner.availability()
        if isinstance(available, EmitOnly):
            raise ToolMissing(f"{available.reason}; install: {available.install}")
        report = _judge(arguments, runner).judge(candidate)
    finally:
        runner.close()
    print(report.to_json() if arguments.json else report.text())
    return exit_code(report)


def exit_code(report: Report) -> int:
    rejection = report.rejection
    if rejection is None:
        return OK if report.accepted else ToolMissing.exit_code
    if rejection.verdict == "blocked":
        return ToolMissing.exit_code
    built = rejection.verdict not in BUILD_VERDICTS
    return WrongResult.exit_code if built else FAILED


def _candidate(arguments: argparse.Namespace, target: Target) -> Candidate:
    from mbc.runtime.gates.candidate import Candidate

    model, _, label = str(arguments.kernel).rpartition(":")
    if not model or not label:
        raise InvalidInput(
            f"'{arguments.kernel}' names no kernel: write it like model.mlir:k3"
        )
    module = load_model(Path(model), arguments.extent).op.clone()
    kernel = _kernel(module, label, target)
    if arguments.source == "-":
        return Candidate(kernel, target)
    text = read_text(arguments.source)
    if not text.strip():
        raise InvalidInput(f"'{arguments.source}' is empty")
    return Candidate(kernel, target, text, arguments.any_extents)


def _kernel(module: ModuleOp, label: str, target: Target) -> KernelOp:
    """From the text's own kernels, or from those that the target's passes form."""
    from mbc.ir.attributes import TARGET
    from mbc.ir.context import new_context
    from mbc.ir.kernel import kernel_by_label, kernels
    from mbc.passes.pipeline import parse, run

    module.attributes[TARGET] = target.attribute()
    if next(kernels(module), None) is None:
        run(new_context(), module, parse(target.model_pipeline))
    return kernel_by_label(module, label).copy()


def _judge(arguments: argparse.Namespace, runner: Runner) -> Judge:
    from mbc.runtime.gates.judge import Judge
    from mbc.runtime.gates.numerics import parse_numerics
    from mbc.runtime.gates.predicate import parse_predicate

    numerics = parse_numerics(arguments.numerics)
    predicate = parse_predicate(arguments.where)
    return Judge(runner, numerics=numerics, predicate=predicate)
