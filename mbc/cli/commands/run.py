"""`mbc run`: run a model on a target, on given inputs; `--check` compares."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from mbc.cli.commands import Commands, add_command
from mbc.cli.commands.models import add_sandbox, add_target, chosen_target, load_model
from mbc.cli.diagnostics import OK
from mbc.errors import WrongResult

if TYPE_CHECKING:
    from mbc.ir.attributes import Entry


def add_to(commands: Commands) -> None:
    parser = add_command(
        commands, "run", "Run a model or an artifact on given inputs.", execute
    )
    parser.add_argument(
        "model", type=Path, metavar="MODEL", help=".mlir, .py or an artifact's folder"
    )
    add_target(parser)
    parser.add_argument(
        "--inputs",
        type=Path,
        required=True,
        metavar="IN.npz",
        help="arrays by input name, or in the order of the inputs",
    )
    parser.add_argument("--outputs", type=Path, metavar="OUT.npz")
    parser.add_argument(
        "--check", action="store_true", help="compare with the IR's own meaning"
    )
    add_sandbox(parser)


def execute(arguments: argparse.Namespace) -> int:
    target = _target(arguments)
    from mbc import Module, check, load, lower
    from mbc.cli.arrays import read_inputs, write_outputs
    from mbc.runtime.isolation import require_sandbox

    if arguments.require_sandbox:
        require_sandbox()
    if target is None:
        artifact = load(arguments.model)
        module = Module(artifact.module, artifact.parameters, artifact.signature)
    else:
        module = load_model(arguments.model, arguments.extent)
        artifact = lower(module, *target)
    inputs = read_inputs(arguments.inputs, artifact)
    outputs = artifact.run_named(dict(inputs))
    if arguments.outputs is not None:
        write_outputs(arguments.outputs, outputs)
    if arguments.check:
        report = check(artifact, module, inputs)
        if not report.passed:
            raise WrongResult("the outputs are outside their error bound", report.text)
        print(f"{report.text}, isolated by {artifact.runner().isolation()}")
    return OK


def _target(arguments: argparse.Namespace) -> tuple[str, Mapping[str, Entry]] | None:
    """None for an artifact, which was made for one."""
    if not arguments.model.is_dir():
        return chosen_target(arguments)
    if arguments.target is not None or arguments.target_option:
        arguments.parser.error("an artifact brings its own target: leave --target out")
    return None
