"""`mbc bisect`: which pass or kernel makes a result wrong, as the smallest text."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from mbc.cli.commands import Commands, add_command
from mbc.cli.commands.models import add_sandbox, add_target, chosen_target, load_model
from mbc.cli.diagnostics import OK
from mbc.cli.output import write_text
from mbc.errors import WrongResult

if TYPE_CHECKING:
    from mbc.api.bisect import Found
    from mbc.codegen.targets import Target
    from mbc.runtime.runner import Runner


def add_to(commands: Commands) -> None:
    parser = add_command(
        commands, "bisect", "Find the pass or the kernel that is wrong.", execute
    )
    parser.add_argument("model", type=Path, metavar="MODEL", help=".mlir or .py")
    add_target(parser)
    parser.add_argument(
        "-p",
        dest="passes",
        default="",
        metavar="PIPELINE",
        help="passes to look at; default: the target's own",
    )
    parser.add_argument("--seed", type=int, metavar="N", help="of the inputs")
    parser.add_argument(
        "-o",
        dest="output",
        default="bisect.mlir",
        metavar="FILE",
        help="where the smallest text goes; default: %(default)s",
    )
    add_sandbox(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def execute(arguments: argparse.Namespace) -> int:
    name, options = chosen_target(arguments)
    from mbc.api.bisect import Right, bisect
    from mbc.codegen.targets import target_named
    from mbc.passes.assign_target import AssignTargetPass
    from mbc.passes.pipeline import parse
    from mbc.runtime.isolation import require_sandbox

    target = target_named(name, options)
    if arguments.require_sandbox:
        require_sandbox()
    assign = AssignTargetPass(name, tuple(f"{k}={v}" for k, v in options.items()))
    passes = (assign, *parse(arguments.passes or target.pipeline))
    module = load_model(arguments.model, arguments.extent)
    runner = _runner(target)
    try:
        found = bisect(module, passes, target, runner, arguments.seed, _tell)
    finally:
        if runner is not None:
            runner.close()
    files = _written(found, target, arguments.output)
    text = _sentence(found, files, ran=runner is not None)
    print(json.dumps(_json(found, files)) if arguments.json else text)
    return OK if isinstance(found, Right) else WrongResult.exit_code


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _runner(target: Target) -> Runner | None:
    """None, told on standard error, where the target's code cannot run here."""
    from mbc.runtime.outcome import EmitOnly
    from mbc.runtime.runner import runner_for

    runner = runner_for(target.name)
    available = runner.availability()
    if not isinstance(available, EmitOnly):
        return runner
    runner.close()
    install = f"install: {available.install}"
    _tell(f"warning: kernels do not run here: {available.reason}; {install}")
    return None


def _written(found: Found, target: Target, output: str) -> list[str]:
    from mbc.api.bisect import Right, WrongPass
    from mbc.cli.reproducer import write_reproducer
    from mbc.ir.text import print_module

    if isinstance(found, Right):
        return []
    text = print_module(found.module)
    if isinstance(found, WrongPass):
        write_reproducer(output, text, [found.instance])
        return [output]
    source = str(Path(output).with_suffix(target.suffix))
    write_text(output, text)
    write_text(source, found.source)
    return [output, source]


def _sentence(found: Found, files: list[str], ran: bool) -> str:
    from mbc.api.bisect import Right, WrongPass

    match found:
        case Right(passes, kernels):
            told = f"and {kernels} kernels" if ran else "(no kernel was run)"
            return f"{passes} passes {told} are right on these inputs"
        case WrongPass(text, position, mismatch):
            what = f"pass {position + 1}, {text}, changes the result: {mismatch}"
            return f"{what}\nmbc-opt --run-reproducer {files[0]} shows it"
        case _:
            what = f"kernel {found.label} is wrong: {found.mismatch}"
            return f"{what}\n{files[0]} has it alone, {files[1]} its text"


def _json(found: Found, files: list[str]) -> dict[str, object]:
    from mbc.api.bisect import Right, WrongPass

    match found:
        case Right(passes, kernels):
            return {"found": "nothing", "passes": passes, "kernels": kernels}
        case WrongPass(text, position, mismatch):
            what = {"found": "pass", "pass": text, "position": position}
            return {**what, "mismatch": mismatch, "files": files}
        case _:
            what = {"found": "kernel", "kernel": found.label}
            return {**what, "mismatch": found.mismatch, "files": files}
