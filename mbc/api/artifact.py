"""A lowered model that a user can read, run, save and load."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from mbc.api.aliases import aliased_inputs
from mbc.api.manifest import (
    code_from_json,
    described_by,
    manifest_of,
    read_manifest,
)
from mbc.api.module import check_arrays, check_inputs, to_numpy, to_tensor
from mbc.codegen.host import data_files, kernels_of, source_files
from mbc.codegen.model import ModelCode, Result
from mbc.errors import BuildFailed, InvalidInput, MbcError, ToolMissing
from mbc.frontend.signature import Signature, rebuild
from mbc.frontend.store import read_arrays, read_text
from mbc.ir.kernel import SourceOp
from mbc.ir.text import parse_module, print_module
from mbc.ir.types import Array
from mbc.runtime.execution import run_function, run_prepare
from mbc.runtime.outcome import Failed
from mbc.runtime.resident import ResidentModel
from mbc.runtime.runner import Runner, runner_for

safetensors: Any = import_module("safetensors.numpy")
MANIFEST = "manifest.json"
MODEL = "model.mlir"
WEIGHTS = "weights.safetensors"


@dataclass
class Artifact:
    """Sources, launch plan, parameters and signature of one model on one target.

    Calling it takes what the model takes (torch tensors or NumPy arrays) and gives
    what the model gives, where the inputs are: arrays of the host and tensors on the
    GPU are used without copies where the target can. A buffer that the model updates is
    kept between calls; an input that it updates in place is written back.

    A call runs in this process where the target can and all code is mbc's own. `run`
    always runs in a process of its own, isolated, and copies.
    """

    code: ModelCode
    module: ModuleOp
    parameters: dict[str, Array]
    signature: Signature
    pipeline: str
    provenance: str
    _runner: Runner | None = field(default=None, repr=False)
    _prepared: list[Array] | None = field(default=None, repr=False)
    _resident: ResidentModel | Failed | None = field(default=None, repr=False)

    @property
    def ir(self) -> str:
        return print_module(self.module)

    @property
    def sources(self) -> dict[str, str]:
        """File name to text: the translation unit, and what builds and calls it."""
        return source_files(self.code)

    @property
    def manifest(self) -> dict[str, Any]:
        return manifest_of(self.code, self.signature, self.pipeline, self.provenance)

    @cached_property
    def aliases(self) -> dict[int, str]:
        """By position, the input that an output is; looked up once, not per call."""
        return aliased_inputs(self.code.forward)

    def runner(self) -> Runner:
        if self._runner is None:
            self._runner = runner_for(self.code.target.name)
        return self._runner

    def use_runner(self, runner: Runner | None) -> None:
        """Run on `runner` from now on (a chosen device, or one shared by artifacts).

        None: in this process again, where the target can.
        """
        self._runner = runner
        self._resident = None

    def replace(self, name: str, value: Any) -> None:
        """Another value for a parameter or buffer from now on."""
        self.parameters[name] = to_numpy(value)
        self._prepared = None
        if isinstance(self._resident, ResidentModel):
            self._resident.replace(name, value)

    def run(self, *inputs: Any) -> list[Array]:
        """The model's results in order, as NumPy arrays.

        Raises `InvalidInput` for inputs of other shapes or dtypes, `ToolMissing`
        where the target cannot run here, `BuildFailed` where its code does not build.
        """
        given = self.signature.input_values(inputs)
        return self.run_named(given)

    def run_named(self, given: dict[str, Any]) -> list[Array]:
        """As `run`, with inputs by name."""
        arrays = check_arrays(self.module, given)
        results = self.execute(arrays)
        outputs: list[Array] = []
        for description, stored in zip(self.code.forward.results, results, strict=True):
            array = as_declared(stored, description)
            if description.updates:
                self._update(description.updates, array, given)
            else:
                outputs.append(array)
        return outputs

    def execute(self, arrays: dict[str, Array]) -> list[Array]:
        """All results of @forward, updates included, from checked named arrays."""
        if self._prepared is None:
            self._prepared = self._completed(
                run_prepare(self.runner(), self.code, self.parameters)
            )
        values = {**self.parameters, **arrays}
        return self._completed(
            run_function(self.runner(), self.code.forward, values, self._prepared)
        )

    def _completed(self, outcome: list[Array] | Failed) -> list[Array]:
        if not isinstance(outcome, Failed):
            return outcome
        raise error_of(outcome)

    def _update(self, name: str, value: Any, given: dict[str, Any]) -> None:
        if name in self.parameters:
            self.replace(name, value)
        else:
            write_back(given[name], value)

    def __call__(self, *inputs: Any) -> Any:
        """The model's own result structure, in torch tensors if inputs are."""
        given = self.signature.input_values(inputs)
        checked = check_inputs(self.module, given)
        results = self._called(checked, given)

        def leaf(kind: str, value: Any) -> Any:
            if kind == "result":
                return results[value]
            return given[value] if kind == "input" else value

        return rebuild(self.signature.outputs, leaf)

    def _called(self, checked: dict[str, Any], given: dict[str, Any]) -> list[Any]:
        """The results that are outputs, like the inputs; updates are done."""
        resident = self.resident()
        if isinstance(resident, Failed):
            arrays = {name: to_numpy(value) for name, value in checked.items()}
            values: list[Any] = list(self.execute(arrays))
        else:
            values = resident(checked)
        like = like_inputs(checked)
        aliases = self.aliases
        outputs: list[Any] = []
        for description, stored in zip(self.code.forward.results, values, strict=True):
            value = as_declared(stored, description)
            if description.updates:
                self._update(description.updates, value, given)
            elif len(outputs) in aliases:
                outputs.append(given[aliases[len(outputs)]])
            else:
                outputs.append(like(value))
        return outputs

    def resident(self) -> ResidentModel | Failed:
        """The model loaded into this process, or why it is not."""
        if self._resident is None:
            self._resident = self._load()
        return self._resident

    def _load(self) -> ResidentModel | Failed:
        if self._runner is not None:
            return Failed("blocked", "a runner was chosen")
        if any(isinstance(op, SourceOp) for op in self.module.walk()):
            return Failed("blocked", "the model has source that mbc did not write")
        return ResidentModel.load(self.code, self.parameters)

    def save(self, folder: Path | str) -> None:
        """Sources, manifest, lowered IR and weights; `mbc.load` reads them back."""
        folder = Path(folder)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for name, text in self.sources.items():
                (folder / name).write_text(text, encoding="utf-8")
            (folder / MODEL).write_text(self.ir, encoding="utf-8")
            self._save_weights(folder / WEIGHTS)
            for name, data in data_files(self.code, self.parameters).items():
                (folder / name).write_bytes(data)
            text = json.dumps(self.manifest, indent=1)
            (folder / MANIFEST).write_text(text + "\n", encoding="utf-8")
        except OSError as error:
            raise InvalidInput(f"cannot write '{folder}': {error.strerror}") from error

    def _save_weights(self, path: Path) -> None:
        arrays = {
            name: np.ascontiguousarray(a) if a.ndim else a.copy()
            for name, a in self.parameters.items()
        }
        safetensors.save_file(arrays, path)
        path.chmod(0o644)  # safetensors writes for the owner only


def like_inputs(inputs: Mapping[str, Any]) -> Callable[[Any], Any]:
    """What turns results into tensors where an input is one, on the inputs' device."""
    tensors = [value for value in inputs.values() if hasattr(value, "detach")]
    if not tensors:
        return to_numpy
    device = tensors[0].device
    return lambda value: to_tensor(value).to(device)


def as_declared(value: Any, description: Result) -> Any:
    """A result with the sign that the model gave its dtype; code has signless ones."""
    name = description.unsigned
    if not name:
        return value
    if isinstance(value, np.ndarray):
        return cast(Array, value).view(name)
    torch: Any = import_module("torch")
    return value.view(getattr(torch, name))


def write_back(target: Any, value: Any) -> None:
    """Into the caller's own tensor or array, however it lies in memory."""
    if hasattr(target, "detach"):
        target.detach().copy_(to_tensor(value))
    elif isinstance(target, np.ndarray):
        own = cast(Array, target)
        if own.flags.writeable:
            np.copyto(own, to_numpy(value).view(own.dtype))


def error_of(outcome: Failed) -> MbcError:
    """The exception for a failed run."""
    if outcome.kind == "blocked":
        return ToolMissing(outcome.message)
    return BuildFailed(outcome.message, outcome.log)


def load(folder: Path | str) -> Artifact:
    """Read a saved artifact; `InvalidInput` if a file is missing or newer than this."""
    folder = Path(folder)
    manifest = read_manifest(folder / MANIFEST)
    source = kernels_of(read_text(folder / manifest["source"]))
    op = parse_module(read_text(folder / MODEL), str(folder / MODEL))
    with described_by(folder / MANIFEST):
        code = code_from_json(manifest, source)
        signature = Signature.from_json(json.dumps(manifest["signature"]))
    return Artifact(
        code,
        op,
        read_arrays(folder / WEIGHTS, folder / MODEL),
        signature,
        manifest["pipeline"],
        manifest["provenance"],
    )
