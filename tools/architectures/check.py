"""One architecture: imported, read back, executed, and run on a target.

Weights rounded to bfloat16 must be noticed; a comparison that does not notice them is
called blunt, and counts as a failure.
"""

from __future__ import annotations

import logging
import time
import warnings
from dataclasses import dataclass, replace

import torch

from mbc.api.agreement import Differs, agreement, values_of
from mbc.api.on_target import Wrong, on_target
from mbc.errors import MbcError
from mbc.frontend.imported import ImportedModel
from mbc.frontend.model_file import LoadedModel
from mbc.frontend.torch_export import import_model
from mbc.ir.text import parse_module, print_module
from mbc.ir.types import Array
from mbc.runtime.bound import Mismatch, compare, expected_results
from tools.architectures.models import load


@dataclass(frozen=True)
class Row:
    name: str
    status: str
    """equal, or in one sentence what is wrong."""
    ops: int = 0
    seconds: float = 0.0
    eager: float = 0.0
    """Largest share of an element's bound that PyTorch used."""
    target: float = 0.0
    nests: tuple[str, ...] = ()


def check(target: str, name: str) -> Row:
    logging.disable(logging.ERROR)
    warnings.simplefilter("ignore")
    started = time.process_time()
    try:
        row = _checked(target, name)
    except MbcError as error:
        row = Row(name, " ".join(error.message.split()))
    return replace(row, seconds=round(time.process_time() - started, 2))


def _checked(target: str, name: str) -> Row:
    loaded = load(name)
    imported = import_model(loaded.model, loaded.inputs)
    text = print_module(imported.module)
    if print_module(parse_module(text)) != text:
        return Row(name, "its text does not read back to the same text")
    ops = sum(1 for _ in imported.module.walk())
    found = agreement(loaded.model, loaded.inputs, imported)
    if isinstance(found, Differs):
        return Row(name, f"differs from PyTorch: {found.reason}", ops)
    if not _is_sharp(loaded, imported):
        return Row(name, "blunt: weights rounded to bfloat16 go unnoticed", ops)
    row = Row(name, "equal", ops, 0.0, round(max(found.given, found.wide), 4))
    return _on(target, row, imported, loaded) if target else row


def _is_sharp(loaded: LoadedModel, imported: ImportedModel) -> bool:
    values = values_of(imported, loaded.inputs)
    expected = expected_results(imported.module, list(values.values()))
    with torch.no_grad():
        for parameter in loaded.model.parameters():
            parameter.copy_(parameter.bfloat16().float())
        rounded = loaded.model(*loaded.inputs)
    wrong: list[Array] = [rounded.numpy()]
    return isinstance(compare(expected, wrong), Mismatch)


def _on(target: str, row: Row, imported: ImportedModel, loaded: LoadedModel) -> Row:
    values = values_of(imported, loaded.inputs)
    found = on_target(imported.module, values, target).checked(())
    if isinstance(found, Wrong):
        return replace(row, status=f"differs on {target}: {found.reason}")
    nests = found.emitted.fallbacks
    return replace(row, target=round(found.share, 4), nests=nests)
