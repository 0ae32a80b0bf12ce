"""The driver of the passes that set one entry of a kernel's schedule."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import ModuleOp

from mbc.codegen.families import family_named, match_kernel, schedule_of
from mbc.codegen.targets import Target, module_target
from mbc.errors import PassRefused
from mbc.ir.attributes import Entry, ScheduleAttr, target_of
from mbc.ir.kernel import KernelOp, kernel_by_label, kernels


def set_knob(
    module: ModuleOp, name: str, label: str, knob: str, value: Sequence[int]
) -> None:
    """Write the entry; `PassRefused` where the family cannot take it.

    Without a target there is no family to ask: what a target then finds illegal
    gives way to its default.
    """
    kernel = kernel_by_label(module, label)
    if target_of(module) is None:
        single = len(value) == 1 and knob != "tile"
        _write(kernel, knob, value[0] if single else tuple(value))
        return
    target = module_target(module)
    match = match_kernel(kernel, target)
    family = family_named(match.family)
    legal = family.space(match, target).get(knob)
    if legal is None:
        raise PassRefused(name, f"a {match.family} kernel has no knob '{knob}' here")
    entry = _entry(value, legal)
    if entry is None:
        values = ", ".join(_text(choice) for choice in legal)
        raise PassRefused(name, f"{knob} {_text(tuple(value))} is not one of {values}")
    reason = family.refusal(match, target, {**schedule_of(match, target), knob: entry})
    if reason:
        raise PassRefused(name, reason)
    _write(kernel, knob, entry)


def _write(kernel: KernelOp, knob: str, entry: Entry) -> None:
    schedule = kernel.schedule or ScheduleAttr.of({})
    kernel.schedule = schedule.with_entry(knob, entry)


def _entry(value: Sequence[int], legal: Sequence[Entry]) -> Entry | None:
    """The legal entry that `value` spells; one number stands for itself or a row."""
    spelled: tuple[Entry, ...] = (
        (tuple(value), *value) if len(value) == 1 else (tuple(value),)
    )
    return next((choice for choice in legal if choice in spelled), None)


def _text(entry: Entry) -> str:
    return "x".join(map(str, entry)) if isinstance(entry, tuple) else str(entry)


def knob_choices(module: ModuleOp, knob: str) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Label and value of every legal setting that differs from the present one."""
    if target_of(module) is None:
        return
    target = module_target(module)
    for kernel in kernels(module):
        for entry in _choices(kernel, knob, target):
            yield kernel.label.data, entry


def _choices(kernel: KernelOp, knob: str, target: Target) -> Iterator[tuple[int, ...]]:
    match = match_kernel(kernel, target)
    family = family_named(match.family)
    present = schedule_of(match, target)
    for entry in family.space(match, target).get(knob, ()):
        changed = {**present, knob: entry}
        if entry == present[knob] or family.refusal(match, target, changed):
            continue
        numbers = entry if isinstance(entry, tuple) else (entry,)
        yield tuple(number for number in numbers if isinstance(number, int))
