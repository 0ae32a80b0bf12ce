"""Everything that is wrong with a model file, in one report.

The structure is looked at without the memory of the tensors. The values are looked at
as the file makes them where all tensors together are small, else at smaller extents.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from xdsl.dialects.builtin import ModuleOp

from mbc.api.module import argument_names, check_arrays, import_model
from mbc.api.subject import (
    Subject,
    footprint,
    is_cheap,
    shrunk,
    subject_of,
    whole_kernel,
)
from mbc.api.value_findings import value_findings
from mbc.errors import UnsupportedModel
from mbc.frontend.findings import Finding, Severity
from mbc.ir.execute import function_named

if TYPE_CHECKING:
    from mbc.frontend.model_file import LoadedModel

VERSION = 1
"""Of the JSON form."""


@dataclass(frozen=True)
class Diagnosis:
    path: str
    findings: tuple[Finding, ...]
    """Errors first, then warnings, then notes."""

    @property
    def passed(self) -> bool:
        """Whether the model can be imported."""
        return not self.counts["error"]

    @property
    def counts(self) -> Counter[Severity]:
        return Counter(finding.severity for finding in self.findings)

    def to_json(self) -> str:
        found = [asdict(finding) for finding in self.findings]
        counts = {f"{name}s": self.counts[name] for name in get_args(Severity)}
        content = {"version": VERSION, "model": self.path, **counts, "findings": found}
        return json.dumps(content, indent=2)


def diagnose(path: Path | str) -> Diagnosis:
    """Of a file that defines `Model` and `get_inputs`; what its code raises, and a
    file that is none, are `InvalidInput`."""
    from mbc.frontend.model_file import ModelFile, run, seeded
    from mbc.frontend.survey import survey

    path = Path(path)
    with seeded():
        file = ModelFile(path, run(path))
    found = survey(file)
    findings = list(found.findings)
    seen = [] if found.module is None else list(_values(path, found.module))
    if any(finding.kind == "constant-output" for finding in seen):
        # The values of an output without inputs say the same, and what it is.
        findings = [f for f in findings if f.kind != "constant-output"]
    findings += seen
    order: tuple[Severity, ...] = get_args(Severity)
    findings.sort(key=lambda finding: order.index(finding.severity))
    return Diagnosis(str(path), tuple(findings))


def _values(path: Path, module: ModuleOp) -> Iterator[Finding]:
    from mbc.frontend.model_file import load_model_file

    kernel = whole_kernel(module)
    if is_cheap(kernel):
        loaded = load_model_file(path)
        yield from _open_extent(loaded)
        yield from value_findings(_as_written(loaded))
        return
    size = f"{footprint(kernel) / 1e9:.1f} GB of tensors"
    subject = shrunk(module)
    if subject is None:
        text = f"its values were not looked at: it has {size}, of extents that are tied"
        yield Finding("note", "values-not-seen", text)
        return
    text = f"it has {size}: values are those of a smaller one with random weights"
    yield Finding("note", "values-at-small-extents", text)
    for finding in value_findings(subject):
        yield replace(finding, message=f"{finding.message}, in the smaller model")


def _open_extent(loaded: LoadedModel) -> Iterator[Finding]:
    """What keeps the extent from staying open that the file wants open."""
    if loaded.dynamic_shapes is None:
        return
    try:
        import_model(loaded.model, loaded.inputs, loaded.dynamic_shapes)
    except UnsupportedModel as error:
        places = () if error.location is None else (error.location,)
        yield Finding("error", "fixed-extent", error.message, places)


def _as_written(loaded: LoadedModel) -> Subject:
    module = import_model(loaded.model, loaded.inputs)
    given = check_arrays(module.op, module.signature.input_values(loaded.inputs))
    values = {**module.parameters, **given}
    names = [name for _, name in argument_names(function_named(module.op, "forward"))]
    arrays = [values[name] for name in names]
    return subject_of(module.op, whole_kernel(module.op), arrays)
