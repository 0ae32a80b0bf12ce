"""`mbc import`: a PyTorch model in a Python file, to MLIR and its parameters."""

from __future__ import annotations

import argparse
from pathlib import Path

from mbc.cli.commands import Commands, add_command
from mbc.cli.commands.models import import_model
from mbc.cli.diagnostics import OK


def add_to(commands: Commands) -> None:
    parser = add_command(
        commands,
        "import",
        "Turn a PyTorch model into MLIR, with its parameters beside it.",
        execute,
    )
    parser.add_argument(
        "model",
        type=Path,
        metavar="MODEL.py",
        help="defines Model, get_inputs and optionally get_init_inputs",
    )
    parser.add_argument(
        "-o", dest="output", type=Path, metavar="FILE", help="default: MODEL.mlir here"
    )


def execute(arguments: argparse.Namespace) -> int:
    model: Path = arguments.model
    module = import_model(model)
    # What was imported is a file, so that its name has a stem.
    output: Path = arguments.output or Path(model.with_suffix(".mlir").name)
    module.save(output)
    parameters = len(module.parameters)
    beside = f" and {output.with_suffix('.safetensors')}" if parameters else ""
    print(f"wrote {output}{beside} ({parameters} parameters)")
    return OK
