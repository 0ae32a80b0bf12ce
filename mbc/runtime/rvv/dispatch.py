"""The C function that calls a program's launches in order, for a host target."""

from __future__ import annotations

from mbc.codegen.program import DTYPE_BYTES, Buffer, Launch, Program


def separate_buffers(program: Program) -> tuple[Buffer, ...]:
    """Inputs and outputs with storage of their own, in the order of `buffers[]`."""
    own = (*program.inputs, *program.outputs)
    return tuple(buffer for buffer in own if not buffer.view_of)


def storage_of(program: Program, buffer: Buffer) -> tuple[Buffer, int]:
    """The buffer whose storage this one shares, and bytes from its start."""
    start = 0
    while buffer.view_of:
        start += buffer.offset * DTYPE_BYTES[buffer.dtype]
        buffer = program.by_name[buffer.view_of]
    return buffer, start


def dispatch_source(program: Program) -> str:
    """`void mbc_run(void **buffers, char *arena)`, to follow the program's source."""
    calls = "".join(_call(program, launch) for launch in program.launches)
    return (
        "\nvoid mbc_run(void **buffers, char *arena) {\n"
        f"  (void)buffers, (void)arena;\n{calls}}}\n"
    )


def _call(program: Program, launch: Launch) -> str:
    args = [_pointer(program, program.by_name[name]) for name in launch.args]
    if launch.steps == 1:
        return f"  {launch.function}({', '.join(args)});\n"
    stepped = f"{launch.function}({', '.join([*args, 'step'])});"
    return f"  for (int step = 0; step < {launch.steps}; step++) {stepped}\n"


def _pointer(program: Program, buffer: Buffer) -> str:
    """A `void *` expression: C converts it to whatever the function takes."""
    root, start = storage_of(program, buffer)
    if root.role == "scratch":
        return f"(void *)(arena + {root.offset + start})"
    index = separate_buffers(program).index(root)
    return f"(void *)((char *)buffers[{index}] + {start})"
