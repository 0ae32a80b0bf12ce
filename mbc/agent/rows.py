"""Between records and flat rows: the view `outcomes`, and one line of an export."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mbc.agent.database import Row
from mbc.agent.records import (
    ActionText,
    Estimate,
    KernelIdentity,
    Outcome,
    TargetIdentity,
    Timed,
)
from mbc.runtime.outcome import Fidelity, NotMeasured


def kernel_row(kernel: KernelIdentity) -> Row:
    return {
        "fingerprint": kernel.fingerprint,
        "family": kernel.family,
        "dtypes": kernel.dtypes,
        "shape_class": kernel.shape_class,
        "flops": float(kernel.flops),
        "bytes": float(kernel.bytes),
    }


def target_row(target: TargetIdentity) -> Row:
    return {
        "name": target.name,
        "class": target.target_class,
        "device": target.device,
        "toolchain": target.toolchain,
    }


def action_row(action: ActionText) -> Row:
    return {"name": action.name, "text": action.text, "role": action.role}


def outcome_row(outcome: Outcome) -> Row:
    """The columns of table `outcome`."""
    return {
        "id": outcome.id,
        "run_id": outcome.run_id,
        "kernel": outcome.kernel.id,
        "target": outcome.target.id,
        "label": outcome.label,
        "state_before": outcome.state_before,
        "state_after": outcome.state_after or None,
        "features": outcome.features,
        "action": outcome.action.id,
        "pipeline": outcome.pipeline,
        "parent": outcome.parent or None,
        "depth": outcome.depth,
        "verdict": outcome.verdict,
        **_result_columns(outcome.result),
        "pred_mu": float(outcome.prediction.mean),
        "pred_sd": float(outcome.prediction.sd),
        "gate_version": outcome.gate_version,
        "gate_report": outcome.gate_report,
        "created": outcome.created,
    }


def _result_columns(result: Timed | NotMeasured) -> Row:
    columns = "log_speedup", "se", "log_default", "low_default", "value"
    match result:
        case NotMeasured(reason):
            absent: Row = dict.fromkeys((*columns, "unit", "fidelity"))
            return {"reason": reason, **absent}
        case Timed(unit=unit, fidelity=fidelity):
            numbers = {name: float(getattr(result, name)) for name in columns}
            return {"reason": "", **numbers, "unit": unit, "fidelity": int(fidelity)}


def outcome_of(row: Mapping[str, Any]) -> Outcome:
    """The record behind one row of the view `outcomes`; KeyError if a column lacks."""
    kernel_fields = "fingerprint", "family", "dtypes", "shape_class", "flops", "bytes"
    return Outcome(
        run_id=row["run_id"],
        kernel=KernelIdentity(*(row[name] for name in kernel_fields)),
        target=TargetIdentity(
            row["target_name"], row["target_class"], row["device"], row["toolchain"]
        ),
        label=row["label"],
        action=ActionText(row["action_text"], row["action_role"]),
        pipeline=row["pipeline"],
        verdict=row["verdict"],
        result=_result_of(row),
        state_before=row["state_before"],
        created=row["created"],
        state_after=row["state_after"] or "",
        features=row["features"],
        parent=row["parent"] or "",
        depth=row["depth"],
        prediction=Estimate(row["pred_mu"], row["pred_sd"]),
        gate_version=row["gate_version"],
        gate_report=row["gate_report"],
    )


def _result_of(row: Mapping[str, Any]) -> Timed | NotMeasured:
    if row["value"] is None:
        return NotMeasured(row["reason"])
    return Timed(
        row["value"],
        row["unit"],
        Fidelity(row["fidelity"]),
        row["log_speedup"],
        row["se"],
        row["log_default"],
        row["low_default"],
    )
