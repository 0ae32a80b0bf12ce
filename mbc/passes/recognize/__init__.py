"""What pieces of linalg mean, as named ops: rules of recognize-named-ops.

A rule looks at one op. It answers with what its results are, built at the implicit
insertion point in front of it, or with None before it has built anything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.ir import Operation, SSAValue

Rule = Callable[[Operation], Sequence[SSAValue] | None]
"""One value per result that is used; unused results need none."""
