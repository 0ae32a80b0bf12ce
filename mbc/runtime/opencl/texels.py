"""Buffers that kernels read as images: texels of four f32, in the buffer's order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyopencl as cl

from mbc.runtime.opencl.memory import Trouble

__all__ = ["Texels", "Trouble", "texels"]

TEXEL_BYTES = 16


@dataclass(frozen=True)
class Texels:
    image: Any
    source: Any
    copy: Any | None
    """What the image shows where it does not show `source` itself."""

    def refresh(self, queue: Any) -> list[Any]:
        """Copies what the source holds by now; the events of that."""
        if self.copy is None:
            return []
        nbytes = self.source.size
        return [cl.enqueue_copy(queue, self.copy, self.source, byte_count=nbytes)]


def texels(context: Any, buffer: Any) -> Texels:
    """An image over `buffer`, or over a copy of one that is part of another buffer:
    PoCL makes no image of those. `Trouble` where the device takes no such image."""
    count = buffer.size // TEXEL_BYTES
    refuse_too_large(context, count)
    part = buffer.get_info(cl.mem_info.ASSOCIATED_MEMOBJECT) is not None
    flags = cl.mem_flags
    copy = cl.Buffer(context, flags.READ_WRITE, buffer.size) if part else None
    texel = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.FLOAT)
    pyopencl: Any = cl  # its types leave out what images are made over
    over = buffer if copy is None else copy
    image = pyopencl.create_image(
        context, flags.READ_ONLY, texel, shape=(count,), buffer=over
    )
    return Texels(image, buffer, copy)


def refuse_too_large(context: Any, count: int) -> None:
    (device,) = context.devices
    most = device.image_max_buffer_size if device.image_support else 0
    if count > most:
        raise Trouble(
            "blocked",
            f"a kernel reads an image of {count} texels and {device.name.strip()} "
            f"takes {most}; emit for style=gpu",
        )
