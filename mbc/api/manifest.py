"""The manifest of an artifact: everything a loader needs, as versioned JSON."""

from __future__ import annotations

import json
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import mbc
from mbc.codegen.model import Argument, FunctionCode, ModelCode, Result
from mbc.codegen.program import Buffer, KernelCode, Launch, Program
from mbc.codegen.targets import target_named
from mbc.errors import InvalidInput
from mbc.frontend.signature import Signature
from mbc.frontend.store import read_text

VERSION = 1
FIELDS = {
    "version": int,
    "target": str,
    "options": dict,
    "provenance": str,
    "pipeline": str,
    "source": str,
    "signature": dict,
    "forward": dict,
    "kernels": list,
}
"""What a loader needs, and of which type."""


def manifest_of(
    code: ModelCode, signature: Signature, pipeline: str, provenance: str
) -> dict[str, Any]:
    target = code.target
    return {
        "version": VERSION,
        "mbc": mbc.__version__,
        "target": target.name,
        "options": {name: target.option(name) for name in sorted(target.declared)},
        "provenance": provenance,
        "pipeline": pipeline,
        "source": f"model{target.suffix}",
        "build": target.build_notes,
        "signature": asdict(signature),
        "forward": function_json(code.forward),
        "prepare": None if code.prepare is None else function_json(code.prepare),
        "kernels": [kernel_json(kernel) for kernel in code.kernels.values()],
    }


def function_json(function: FunctionCode) -> dict[str, Any]:
    program = function.program
    return {
        "arguments": [asdict(argument) for argument in function.arguments],
        "results": [asdict(result) for result in function.results],
        "labels": list(function.labels),
        "buffers": [asdict(buffer) for buffer in program.buffers],
        "launches": [asdict(launch) for launch in program.launches],
        "arena_bytes": program.arena_bytes,
    }


def kernel_json(kernel: KernelCode) -> dict[str, Any]:
    """A kernel's description without its text, which is in the source file."""
    described = asdict(kernel)
    del described["source"]
    return described


def read_manifest(path: Path) -> dict[str, Any]:
    """`InvalidInput` if it is missing, no manifest, or of a newer version."""
    if not path.is_file():
        raise InvalidInput(f"{path}: no such file; is this an artifact folder?")
    try:
        manifest = json.loads(read_text(path))
    except json.JSONDecodeError as error:
        raise InvalidInput(f"{path}: not JSON: {error}") from error
    with described_by(path):
        version: object = manifest["version"]
        # Before the other fields, which may have changed since.
        if isinstance(version, int) and version > VERSION:
            raise InvalidInput(
                f"{path}: version {version} is newer than this mbc reads ({VERSION})"
            )
        check_fields(manifest)
    return manifest


def check_fields(manifest: dict[str, Any]) -> None:
    for name, kind in FIELDS.items():
        if not isinstance(manifest[name], kind):
            raise TypeError(f"{name} is no {kind.__name__}")


@contextmanager
def described_by(path: Path) -> Generator[None]:
    """JSON of another shape than ours fails inside in whatever way it does."""
    try:
        yield
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise InvalidInput(f"{path}: not a manifest of mbc") from error


def code_from_json(manifest: dict[str, Any], source: str) -> ModelCode:
    target = target_named(manifest["target"], manifest["options"])
    options = tuple((n, str(target.option(n))) for n in sorted(target.declared))

    def function(described: dict[str, Any]) -> FunctionCode:
        program = Program(
            target.name,
            source,
            tuple(_buffer(b) for b in described["buffers"]),
            tuple(_launch(launch) for launch in described["launches"]),
            described["arena_bytes"],
            options,
        )
        results: list[dict[str, Any]] = [
            {**r, "shape": tuple(r["shape"])} for r in described["results"]
        ]
        return FunctionCode(
            program,
            tuple(Argument(**argument) for argument in described["arguments"]),
            tuple(Result(**result) for result in results),
            tuple(described["labels"]),
        )

    prepare = manifest["prepare"]
    kernels = {k["label"]: _kernel(k) for k in manifest["kernels"]}
    return ModelCode(
        target,
        kernels,
        function(manifest["forward"]),
        None if prepare is None else function(prepare),
        source,
    )


def _buffer(described: dict[str, Any]) -> Buffer:
    fields: dict[str, Any] = {**described, "shape": tuple(described["shape"])}
    return Buffer(**fields)


def _launch(described: dict[str, Any]) -> Launch:
    fields: dict[str, Any] = dict(described)
    for name in ("args", "grid", "block", "images"):
        fields[name] = tuple(described.get(name, ()))
    return Launch(**fields)


def _kernel(described: dict[str, Any]) -> KernelCode:
    buffers = {
        name: tuple(_buffer(b) for b in described[name])
        for name in ("operands", "results", "scratch")
    }
    fields: dict[str, Any] = {
        **described,
        **buffers,
        "source": "",
        "launches": tuple(_launch(launch) for launch in described["launches"]),
        "headers": tuple(described["headers"]),
        "extents": tuple((name, value) for name, value in described["extents"]),
    }
    return KernelCode(**fields)
