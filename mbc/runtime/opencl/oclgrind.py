"""Programs on Oclgrind, a simulator of an OpenCL device that checks every access.

It is loaded instead of the installed runtimes, into a worker of its own that may start
no process. Every work item runs with the same order, on buffers without fences: each
lies in an address space of its own, so that one element too many is a finding, and what
nobody wrote is known.

Kernels are built without optimization: Oclgrind 21.10 does not know all instructions
that its compiler's optimizer makes, and loses initialized values of 16-lane vectors.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from mbc.runtime.opencl.channel import Channel, Lost
from mbc.runtime.sanitizer import Clean, Finding, Sanitized, Unchecked
from mbc.runtime.toolchain import Found, find_oclgrind

SECONDS = 10
MEMORY_BYTES = 8 << 30
BUILD_OPTIONS = "-cl-opt-disable"
MOST_MESSAGES = 200
LOG_BYTES = 2000
CHECKS = ("bounds", "race", "barrier", "uninitialized")
SIXTEEN_LANES = re.compile(
    r"\b(?:u?(?:char|short|int|long)|float|double|half|vload|vstore)16\b"
)
LEFT_OUT = "uninitialized values of 16-lane vectors are not tracked"

RULES = (
    (r"Invalid (?:read|write) of .*|Index \(\d+\) exceeds .*", "bounds"),
    (r"Invalid memory (?:load|store) - .*|Unaligned address .*", "alignment"),
    (r"Invalid (?:read|write) (?:from|to) \S+ buffer.*", "access"),
    (r"(?:Read-write|Write-write) data race .*", "race"),
    (r"Work-group divergence .*", "barrier"),
    (r"Encountered (?:trap|unreachable) instruction", "trap"),
    (r"Controlflow depends on uninitialized value", "uninitialized"),
    (r"Uninitialized (?:address used|value written to global) .*", "uninitialized"),
    (r"Instruction depends on an uninitialized index value", "uninitialized"),
)
"""First lines of messages, in the order in which they tell most. A value that nobody
wrote may be copied to local or private memory, as padding is."""
FATAL = "OCLGRIND FATAL ERROR"
ADDRESS = re.compile(r"\s*\bat (\w+ memory) address (0x[0-9a-f]+)")
LINE = re.compile(r"At line (\d+)")


@dataclass
class Oclgrind:
    """`check` starts the worker at the first call; `close` ends it."""

    channel: Channel | None = field(init=False, default=None)

    def check(
        self, source: str, body: dict[str, Any], blobs: Sequence[bytes]
    ) -> Sanitized:
        """One run of the program that `body` describes, as for a run on a device."""
        tool = find_oclgrind()
        if not isinstance(tool, Found):
            return Unchecked(f"{tool.reason}; install: {tool.install}")
        channel = self._opened(tool)
        before = channel.log_size()
        question = {**body, "op": "check", "options": [BUILD_OPTIONS]}
        answer = channel.ask(question, blobs, SECONDS)
        log = channel.log_since(before)
        if log:
            # It counts messages over all its contexts, and falls silent at a limit.
            self.close()
        tracked = not SIXTEEN_LANES.search(source)
        found = finding_in(log, tracked)
        if found is not None:
            return found
        failed = _failure(answer, log)
        if failed:
            return Unchecked(f"Oclgrind cannot run it: {failed}")
        checks = CHECKS if tracked else CHECKS[:-1]
        return Clean(f"Oclgrind {tool.version}", checks, "" if tracked else LEFT_OUT)

    def close(self) -> None:
        if self.channel is not None:
            self.channel.close()

    def _opened(self, tool: Found) -> Channel:
        if self.channel is None:
            settings = {
                "OCL_ICD_VENDORS": str(tool.path),
                "OCLGRIND_DATA_RACES": "1",
                "OCLGRIND_UNINITIALIZED": "1",
                "OCLGRIND_MAX_ERRORS": str(MOST_MESSAGES),
                "OCLGRIND_NUM_THREADS": "1",
            }
            self.channel = Channel("", MEMORY_BYTES, settings, processes="none")
        return self.channel


def finding_in(log: str, tracked: bool = True) -> Finding | None:
    """The most telling message of a log, if one is about the kernel."""
    messages = [part for part in log.split("\n\n") if part.strip()]
    for pattern, rule in RULES:
        if rule == "uninitialized" and not tracked:
            continue
        for message in messages:
            heads = [line.strip() for line in message.splitlines()]
            head = next((h for h in heads if re.fullmatch(pattern, h)), None)
            if head is not None:
                return _finding(rule, head, message)
    return None


def _finding(rule: str, head: str, message: str) -> Finding:
    place, line = ADDRESS.search(head), LINE.search(message)
    clause = ADDRESS.sub(r" in \1", head) if place else head
    return Finding(
        rule,
        clause[0].lower() + clause[1:],
        int(line[1]) if line else 0,
        place[2] if place else "",
        message.strip()[:LOG_BYTES],
    )


def _failure(answer: object, log: str) -> str:
    if FATAL in log:
        lines = log[log.index(FATAL) :].splitlines()
        return (lines[1:2] or ["a fatal error"])[0].strip()
    if isinstance(answer, Lost):
        return answer.message
    failed = getattr(answer, "body", {}).get("failed")
    return str(failed["message"]) if failed else ""
