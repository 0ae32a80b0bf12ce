"""Checks the ways in which a user calls a model on the GPU: without copies, through
torch.compile, and as a saved folder that nvcc builds."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import torch

import mbc
from mbc.api.torch_backend import compile_graph
from mbc.codegen.host.layout import areas_of
from mbc.errors import MbcError
from mbc.frontend.model_file import load_model_file
from mbc.runtime.outcome import Failed
from tools.gpu.models import FOLDER, MODELS

pytree: Any = import_module("torch.utils._pytree")
TOLERANCE = 1e-4
"""Coarse: numbers are judged by the bound elsewhere; here calls are."""


def check_calls() -> list[str]:
    """One line per thing that is wrong."""
    wrong: list[str] = []
    for name in MODELS:
        try:
            found = [*_direct(name), *_compiled(name), *_folder(name)]
        except (MbcError, AssertionError) as error:
            found = [str(error).splitlines()[0]]
        print(f"{name}: calls, {len(found)} wrong", flush=True)
        wrong += [f"{name}: {text}" for text in found]
    return wrong


def _on_gpu(name: str) -> tuple[torch.nn.Module, list[torch.Tensor]]:
    loaded = load_model_file(FOLDER / f"{name}.py")
    model = loaded.model.eval().cuda()
    return model, [x.cuda() if torch.is_tensor(x) else x for x in loaded.inputs]


def _flat(results: object) -> list[torch.Tensor]:
    leaves: list[Any] = pytree.tree_leaves(results)
    return [leaf for leaf in leaves if torch.is_tensor(leaf)]


def _differences(what: str, got: object, wanted: object) -> list[str]:
    wrong: list[str] = []
    for index, (one, other) in enumerate(zip(_flat(got), _flat(wanted), strict=True)):
        if one.device != other.device:
            wrong.append(f"{what}: result {index} is on {one.device}")
        elif not torch.allclose(one, other, rtol=TOLERANCE, atol=TOLERANCE):
            far = (one - other).abs().max().item()
            wrong.append(f"{what}: result {index} is off by {far:.3g}")
    return wrong


def _direct(name: str) -> list[str]:
    """Tensors on the GPU in and out; the second call finds everything loaded."""
    artifact = mbc.lower(mbc.import_file(FOLDER / f"{name}.py"), "cuda")
    resident = artifact.resident()
    if isinstance(resident, Failed):
        return [f"not in this process: {resident.message}"]
    model, inputs = _on_gpu(name)
    wrong: list[str] = []
    with torch.no_grad():
        for sign in (1, -1):
            given = [x * sign if x.is_floating_point() else x for x in inputs]
            wrong += _differences("call", artifact(*given), model(*given))
    return wrong


def _compiled(name: str) -> list[str]:
    model, inputs = _on_gpu(name)
    torch.compiler.reset()
    fast: Any = torch.compile(model, backend=compile_graph)  # pyright: ignore[reportUnknownMemberType]  # torch's own types
    with torch.no_grad():
        wrong = _differences("torch.compile", fast(*inputs), model(*inputs))
    in_torch = [g.reason for g in mbc.compile_report().graphs if g.in_torch]
    return wrong + [f"torch.compile: runs in torch: {reason}" for reason in in_torch]


def _folder(name: str) -> list[str]:
    """What `make run` writes, against a call in this process."""
    if shutil.which("nvcc") is None or shutil.which("make") is None:
        return []
    artifact = mbc.lower(mbc.import_file(FOLDER / f"{name}.py"), "cuda")
    loaded = load_model_file(FOLDER / f"{name}.py")
    named = artifact.signature.input_values(loaded.inputs)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        artifact.save(folder)
        raw = bytearray((folder / "inputs.bin").read_bytes())
        for key, piece in areas_of(artifact.code)["inputs"].pieces.items():
            data = named[key].numpy().tobytes()
            raw[piece.offset : piece.offset + piece.nbytes] = data
        (folder / "inputs.bin").write_bytes(raw)
        done = subprocess.run(
            ["make", "run"], cwd=folder, capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            return [f"folder: {(done.stderr or done.stdout).strip().splitlines()[-1]}"]
        written = (folder / "outputs.bin").read_bytes()
    pieces = areas_of(artifact.code)["outputs"].pieces.values()
    found = [
        np.frombuffer(written[p.offset : p.offset + p.nbytes], np.float32)
        for p in pieces
    ]
    wanted = [np.ravel(array) for array in artifact.run(*loaded.inputs)]
    pairs = zip(found, wanted, strict=True)
    off = [i for i, (a, b) in enumerate(pairs) if not np.array_equal(a, b)]
    return [f"folder: result {index} differs from a call's" for index in off]
