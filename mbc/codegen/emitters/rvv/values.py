"""What emitted vector code is made of: values, and the spelling of one LMUL."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["vector", "mask", "scalar", "flag", "product"]


@dataclass(frozen=True)
class Value:
    """An expression: f32 lanes, a mask, a float for all lanes, or an int 0 or 1; of a
    product, the two factors of f32 lanes that are only added to others."""

    text: str
    kind: Kind
    constant: bool = False

    @property
    def is_uniform(self) -> bool:
        return self.kind in ("scalar", "flag")


@dataclass(frozen=True)
class Vectors:
    """Types and intrinsics of f32 at an LMUL; `length` is the text of the length."""

    lmul: int
    length: str = "vl"

    @property
    def type(self) -> str:
        return f"vfloat32m{self.lmul}_t"

    @property
    def mask(self) -> str:
        return f"vbool{32 // self.lmul}_t"

    @property
    def set_length(self) -> str:
        return f"__riscv_vsetvl_e32m{self.lmul}"

    @property
    def full_length(self) -> str:
        return f"__riscv_vsetvlmax_e32m{self.lmul}()"

    def call(self, name: str, *operands: str, kind: Kind = "vector") -> Value:
        """An overloaded intrinsic."""
        return Value(f"__riscv_{name}({', '.join(operands)}, {self.length})", kind)

    def helper(self, name: str, *operands: str) -> Value:
        """A function of the vector_math header."""
        text = f"mbc_{name}_f32m{self.lmul}({', '.join(operands)}, {self.length})"
        return Value(text, "vector")

    def splat(self, scalar: str) -> str:
        return f"__riscv_vfmv_v_f_f32m{self.lmul}({scalar}, {self.length})"

    def as_vector(self, value: Value) -> str:
        return self.splat(value.text) if value.is_uniform else value.text

    def flag_mask(self, flag: str) -> str:
        """A mask that holds one flag everywhere."""
        bits = 32 // self.lmul
        if flag in ("0", "1"):
            name = "vmset" if flag == "1" else "vmclr"
            return f"__riscv_{name}_m_b{bits}({self.length})"
        lanes = f"__riscv_vmv_v_x_i32m{self.lmul}({flag}, {self.length})"
        return f"__riscv_vmsne({lanes}, 0, {self.length})"

    @property
    def half(self) -> str:
        """The LMUL of as many elements of 16 bits."""
        return f"m{self.lmul // 2}" if self.lmul > 1 else "mf2"

    def load(self, buffer: str, index: str, stride: int, dtype: str = "f32") -> str:
        """Elements from `buffer[index]` on, `stride` elements apart, as f32."""
        kind = {"f16": f"f16{self.half}", "bf16": f"u16{self.half}"}.get(dtype, "")
        bits, suffix = (16, kind) if kind else (32, f"f32m{self.lmul}")
        start, bytes = _address(buffer, index), bits // 8 * stride
        where = start if stride == 1 else f"{start}, {bytes}"
        name = f"vle{bits}" if stride == 1 else f"vlse{bits}"
        text = f"__riscv_{name}_v_{suffix}({where}, {self.length})"
        if dtype == "f16":
            return f"__riscv_vfwcvt_f({text}, {self.length})"
        if dtype == "bf16":
            wide = f"__riscv_vzext_vf2({text}, {self.length})"
            shifted = f"__riscv_vsll({wide}, 16, {self.length})"
            return f"__riscv_vreinterpret_f32m{self.lmul}({shifted})"
        return text

    def store(
        self, buffer: str, index: str, stride: int, value: str, dtype: str = "f32"
    ) -> str:
        """The statement that is the counterpart of `load`."""
        bits = 32
        if dtype == "f16":
            bits, value = 16, f"__riscv_vfncvt_f({value}, {self.length})"
        elif dtype == "bf16":
            bits, value = 16, self.helper("bf16_bits", value).text
        start = _address(buffer, index)
        if stride == 1:
            return f"__riscv_vse{bits}({start}, {value}, {self.length});"
        bytes = bits // 8 * stride
        return f"__riscv_vsse{bits}({start}, {bytes}, {value}, {self.length});"


def _address(buffer: str, index: str) -> str:
    return buffer if index == "0" else f"{buffer} + {index}"
