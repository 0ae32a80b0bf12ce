"""`--list-passes` and `--list-targets`."""

from __future__ import annotations

import inspect
import json
from dataclasses import asdict, dataclass

from xdsl.passes import ModulePass, PassOptionInfo, get_pass_option_infos

from mbc.cli.opt_arguments import Listing


@dataclass(frozen=True)
class PassEntry:
    name: str
    summary: str
    options: dict[str, str]
    """By name: the type, and the default where there is one."""
    docstring: str


@dataclass(frozen=True)
class TargetEntry:
    name: str
    status: str
    """`ok`, or `emit-only` where programs cannot run."""
    detail: str
    options: dict[str, str]


def print_passes(form: Listing) -> None:
    from mbc.passes import PASSES, pass_class

    entries = [_pass_entry(name, pass_class(name)) for name in sorted(PASSES)]
    if form == "json":
        print(json.dumps([asdict(entry) for entry in entries], indent=2))
        return
    width = max((len(entry.name) for entry in entries), default=0)
    for entry in entries:
        print(f"{entry.name:{width}}  {entry.summary}")


def print_targets(form: Listing) -> None:
    from mbc.codegen.targets import TARGETS

    entries = [_target_entry(name) for name in sorted(TARGETS)]
    if form == "json":
        print(json.dumps([asdict(entry) for entry in entries], indent=2))
        return
    for entry in entries:
        options = ", ".join(f"{k}: {v}" for k, v in entry.options.items())
        print(f"{entry.name:8} {entry.status:10} {entry.detail}")
        if options:
            print(f"{'':19} options: {options}")


def _pass_entry(name: str, cls: type[ModulePass]) -> PassEntry:
    docstring = inspect.cleandoc(cls.__doc__ or "")
    summary = " ".join(docstring.split("\n\n")[0].split())
    infos = get_pass_option_infos(cls)
    options = {info.name: _option(info) for info in infos}
    return PassEntry(name, summary, options, docstring)


def _option(info: PassOptionInfo) -> str:
    # xDSL quotes types of modules with postponed annotations.
    kind = info.expected_type.strip("'")
    return kind if info.default_value is None else f"{kind} = {info.default_value}"


def _target_entry(name: str) -> TargetEntry:
    from mbc.codegen.targets import target_named
    from mbc.runtime.outcome import Available
    from mbc.runtime.runner import runner_for

    declared = target_named(name).declared
    options = {
        key: f"{option.meaning} (default {option.default})"
        for key, option in declared.items()
    }
    match runner_for(name).availability():
        case Available(description):
            return TargetEntry(name, "ok", description, options)
        case missing:
            detail = f"{missing.reason}; install: {missing.install}"
            return TargetEntry(name, "emit-only", detail, options)
