"""A system call filter for isolated processes, as the program that bubblewrap loads.

It takes away what kernels and compilers never need: networks, other processes' memory,
name spaces, mounts, kernel modules, tracing. Processes that run candidates may start
threads alone, or where a runtime needs its linker, programs one at a time. Refused
calls fail with EPERM.
"""

from __future__ import annotations

import errno
import platform
import struct
from collections.abc import Sequence
from typing import Literal

INSTRUCTION = struct.Struct("<HBBI")
LOAD_WORD, JUMP_EQUAL, JUMP_AT_LEAST, JUMP_IF_SET, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
NUMBER_AT, ARCHITECTURE_AT, FIRST_ARGUMENT_AT = 0, 4, 16
ALLOW, KILL, FAIL = 0x7FFF0000, 0x80000000, 0x00050000
X86_64, X32_BIT = 0xC000003E, 0x40000000
CLONE_VFORK, CLONE_THREAD = 0x00004000, 0x00010000

Processes = Literal["any", "programs", "none"]
"""What a process may start: anything; only other programs, waiting for each to begin
(as `posix_spawn` does, while the parent's thread stands still); or threads alone."""

CLONE, CLONE3 = 56, 435
OUTSIDE = (
    *range(41, 56),  # sockets
    *(101, 310, 311, 312, 438),  # ptrace, memory and handles of other processes
    *(155, 161, 165, 166, 272, 308),  # roots, mounts, name spaces
    *range(428, 434),  # the new mount calls
    *(442, 304, 303),  # mount_setattr, file handles
    *(169, 175, 176, 246, 313, 320),  # reboot, modules, kexec
    *(248, 249, 250, 298, 321, 323),  # keys, perf, bpf, userfaultfd
    *(425, 426, 427),  # io_uring
)
"""System call numbers of x86-64."""
PROCESSES = (57, 58)
"""fork and vfork."""


def is_supported() -> bool:
    return platform.machine() == "x86_64"


def filter_program(processes: Processes) -> bytes:
    """Classic BPF for `bwrap --seccomp`."""
    code = [
        _step(LOAD_WORD, ARCHITECTURE_AT),
        _step(JUMP_EQUAL, X86_64, 1, 0),
        _step(RETURN, KILL),
        _step(LOAD_WORD, NUMBER_AT),
        _step(JUMP_AT_LEAST, X32_BIT, 0, 1),
        _step(RETURN, KILL),
    ]
    code += _fail(OUTSIDE, errno.EPERM)
    # Its flags lie in memory, where a filter cannot look; callers fall back to clone.
    code += _fail((CLONE3,), errno.ENOSYS)
    if processes != "any":
        code += _fail(PROCESSES, errno.EPERM)
        flags = CLONE_THREAD if processes == "none" else CLONE_THREAD | CLONE_VFORK
        code += [
            _step(JUMP_EQUAL, CLONE, 0, 3),
            _step(LOAD_WORD, FIRST_ARGUMENT_AT),
            _step(JUMP_IF_SET, flags, 1, 0),
            _step(RETURN, FAIL | errno.EPERM),
        ]
    return b"".join([*code, _step(RETURN, ALLOW)])


def _fail(numbers: Sequence[int], error: int) -> list[bytes]:
    code: list[bytes] = []
    for number in numbers:
        code += [_step(JUMP_EQUAL, number, 0, 1), _step(RETURN, FAIL | error)]
    return code


def _step(code: int, operand: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return INSTRUCTION.pack(code, if_true, if_false, operand)
