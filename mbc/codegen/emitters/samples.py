"""What resampling says alike in all languages: extents, and where an element reads."""

from __future__ import annotations

from typing import Any

from mbc.codegen.expression import float_literal
from mbc.codegen.families.interpolate import InterpolateMatch


def resample_context(match: InterpolateMatch) -> dict[str, Any]:
    rows, columns = match.rows, match.columns
    return {
        "planes": match.planes,
        "height": rows.extent,
        "width": columns.extent,
        "out_height": rows.size,
        "out_width": columns.size,
        "row_step": float_literal(rows.step, "f32"),
        "column_step": float_literal(columns.step, "f32"),
        "linear": match.linear,
        "half": match.half_pixel,
    }
