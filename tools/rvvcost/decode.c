/* RV64GCV instruction words to classes and register operands.
 *
 * Only what timing needs: which registers are read and written, whether memory is
 * touched, and which unit works. An unknown word is class `other`, one cycle.
 */
#include "rvvcost.h"

#define BITS(word, low, count) ((word) >> (low) & ((1u << (count)) - 1))

const char *const class_name[C_COUNT] = {
    "alu", "mul", "div", "ld", "st", "br", "fp", "fpdiv", "fld", "fst", "csr", "other",
    "vset",
    "vld", "vst", "vlds", "vsts", "vldx", "vstx", "vl_whole", "vs_whole", "vmaskmem",
    "vialu", "vimul", "vidiv", "vfadd", "vfma", "vfdiv", "vred", "vfredo", "vfred",
    "vperm", "vgather", "vslide", "vmv_to_scalar", "vmask",
};

static void load(struct insn *i, int class, int base) {
    i->class = class;
    i->rs1 = base;
    i->is_load = true;
}

static void store(struct insn *i, int class, int base) {
    i->class = class;
    i->rs1 = base;
    i->is_store = true;
}

/* ---- compressed ---- */

static void decode_quadrant0(struct insn *i) {
    int base = 8 + BITS(i->word, 7, 3), reg = 8 + BITS(i->word, 2, 3);
    i->rs1 = base;
    switch (BITS(i->word, 13, 3)) {
    case 0: i->rs1 = 2; i->rd = reg; break;                  /* c.addi4spn */
    case 1: load(i, C_FLD, base); i->frd = reg; break;
    case 2: case 3: load(i, C_LD, base); i->rd = reg; break;
    case 5: store(i, C_FST, base); i->frs2 = reg; break;
    case 6: case 7: store(i, C_ST, base); i->rs2 = reg; break;
    default: i->class = C_OTHER;
    }
}

static void decode_quadrant1(struct insn *i) {
    int reg = BITS(i->word, 7, 5), small = 8 + BITS(i->word, 7, 3);
    switch (BITS(i->word, 13, 3)) {
    case 0: case 1: i->rd = i->rs1 = reg; break;             /* c.addi c.addiw */
    case 2: i->rd = reg; break;                              /* c.li */
    case 3:                                                  /* c.lui c.addi16sp */
        i->rd = reg;
        if (reg == 2) i->rs1 = 2;
        break;
    case 4:                                                  /* c.srli .. c.and */
        i->rd = i->rs1 = small;
        if (BITS(i->word, 10, 2) == 3) i->rs2 = 8 + BITS(i->word, 2, 3);
        break;
    case 5: i->class = C_BR; break;                          /* c.j */
    default: i->class = C_BR; i->conditional = true; i->rs1 = small;
    }
}

static void decode_quadrant2(struct insn *i) {
    int reg = BITS(i->word, 7, 5), other = BITS(i->word, 2, 5);
    bool bit12 = BITS(i->word, 12, 1);
    switch (BITS(i->word, 13, 3)) {
    case 0: i->rd = i->rs1 = reg; break;                     /* c.slli */
    case 1: load(i, C_FLD, 2); i->frd = reg; break;
    case 2: case 3: load(i, C_LD, 2); i->rd = reg; break;
    case 4:
        if (!other) {                                        /* c.jr c.jalr */
            i->class = C_BR;
            i->rs1 = reg;
            if (bit12) i->rd = 1;
            break;
        }
        i->rd = reg;                                         /* c.mv c.add */
        i->rs2 = other;
        if (bit12) i->rs1 = reg;
        break;
    case 5: store(i, C_FST, 2); i->frs2 = other; break;
    default: store(i, C_ST, 2); i->rs2 = other;
    }
}

static void decode_compressed(struct insn *i) {
    switch (i->word & 3) {
    case 0: decode_quadrant0(i); break;
    case 1: decode_quadrant1(i); break;
    default: decode_quadrant2(i);
    }
}

/* ---- scalar floating point ---- */

static void decode_op_fp(struct insn *i, int rd, int rs1, int rs2) {
    int kind = i->word >> 27;
    i->class = kind == 0x03 || kind == 0x0b ? C_FPDIV : C_FP;
    i->frd = rd;
    i->frs1 = rs1;
    if (kind < 8) i->frs2 = rs2;
    switch (kind) {
    case 0x14: i->frs2 = rs2;                                /* compare, then below */
        /* fall through */
    case 0x18: case 0x1c: i->frd = NONE; i->rd = rd; break;  /* to integer */
    case 0x1a: case 0x1e: i->frs1 = NONE; i->rs1 = rs1;      /* from integer */
    }
}

/* ---- vector memory and scalar fp memory share opcodes ---- */

static int unit_stride_class(bool is_load, int mop_detail) {
    if (mop_detail == 8) return is_load ? C_VLD_WHOLE : C_VST_WHOLE;
    if (mop_detail == 11) return C_VMASKMEM;
    return is_load ? C_VLD : C_VST;
}

static void decode_vector_memory(struct insn *i, bool is_load, int rd, int rs1,
                                 int rs2) {
    static const uint8_t width[8] = {8, 0, 0, 0, 0, 16, 32, 64};
    i->eew = width[BITS(i->word, 12, 3)];
    i->fields = BITS(i->word, 29, 3) + 1;
    i->unmasked = BITS(i->word, 25, 1);
    i->rs1 = rs1;
    i->vd = rd;
    i->is_load = is_load;
    i->is_store = !is_load;
    switch (BITS(i->word, 26, 2)) {
    case 0: i->class = unit_stride_class(is_load, rs2); break;
    case 2: i->class = is_load ? C_VLDS : C_VSTS; i->rs2 = rs2; break;
    default: i->class = is_load ? C_VLDX : C_VSTX; i->vs2 = rs2;
    }
}

static void decode_fp_memory(struct insn *i, bool is_load, int rd, int rs1, int rs2) {
    int width = BITS(i->word, 12, 3);
    if (width == 0 || width > 4) {
        decode_vector_memory(i, is_load, rd, rs1, rs2);
        return;
    }
    if (is_load) {
        load(i, C_FLD, rs1);
        i->frd = rd;
        return;
    }
    store(i, C_FST, rs1);
    i->frs2 = rs2;
}

/* ---- vector arithmetic: `op` is funct6, `form` is funct3 ---- */

enum { OPIVV, OPFVV, OPMVV, OPIVI, OPIVX, OPFVF, OPMVX, OPCFG };

static void decode_integer(struct insn *i, int op, int form) {
    i->class = C_VIALU;
    switch (op) {
    case 0x0c: i->class = C_VGATHER; break;
    case 0x0e: i->class = form == OPIVV ? C_VGATHER : C_VSLIDE; break;
    case 0x0f: i->class = C_VSLIDE; break;
    case 0x17: if (i->unmasked) i->vs2 = NONE; break;        /* vmv.v.*, else vmerge */
    case 0x18: case 0x19: case 0x1a: case 0x1b:
    case 0x1c: case 0x1d: case 0x1e: case 0x1f: i->class = C_VMASK; break;
    case 0x27: if (form == OPIVI) i->class = C_VPERM; break; /* vmv<n>r.v */
    case 0x2c: case 0x2d: case 0x2e: case 0x2f: i->wide_vs2 = true; break;
    case 0x30: case 0x31: i->class = C_VRED;                 /* vwredsum[u] */
    }
}

static void decode_move_to_scalar(struct insn *i) {
    i->class = C_VMV_XS;
    i->vs1 = i->vd = NONE;
}

static void decode_move_from_scalar(struct insn *i) {
    i->class = C_VPERM;
    i->vs2 = NONE;
}

static void decode_widening_integer(struct insn *i, int op) {
    i->wide_result = true;
    i->wide_vs2 = op >= 0x34 && op <= 0x37;
    if (op >= 0x38) i->class = C_VIMUL;
    i->reads_vd = op >= 0x3c;
}

static void decode_multiply(struct insn *i, int op, int form) {
    i->class = C_VIALU;
    if (op < 0x08 && form == OPMVV) i->class = C_VRED;
    else if (op == 0x0e || op == 0x0f) i->class = C_VSLIDE;
    else if (op == 0x10 && form == OPMVV) {                  /* vmv.x.s vcpop vfirst */
        i->rd = BITS(i->word, 7, 5);
        decode_move_to_scalar(i);
    } else if (op == 0x10) decode_move_from_scalar(i);
    else if (op == 0x12) i->vs1 = NONE;                      /* vzext vsext */
    else if (op == 0x14) {                                   /* vmsbf .. viota vid */
        if (i->vs1 == 17) i->vs2 = NONE;
        i->vs1 = NONE;
    } else if (op == 0x17) i->class = C_VGATHER;             /* vcompress */
    else if (op >= 0x18 && op <= 0x1f && form == OPMVV) i->class = C_VMASK;
    else if (op >= 0x20 && op <= 0x23) i->class = C_VIDIV;
    else if (op >= 0x24 && op <= 0x2f) {
        i->class = C_VIMUL;
        i->reads_vd = op >= 0x29 && op % 2;                  /* vmadd vnmsub vmacc .. */
    } else if (op >= 0x30) decode_widening_integer(i, op);
}

static void decode_widening_float(struct insn *i, int op) {
    if (op == 0x31 || op == 0x33) {                          /* vfwred[ou]sum */
        i->class = op == 0x31 ? C_VFRED : C_VREDO;
        return;
    }
    i->wide_result = true;
    i->wide_vs2 = op == 0x34 || op == 0x36;
    if (op >= 0x38) i->class = C_VFMA;
    i->reads_vd = op >= 0x3c;
}

static void decode_float_unary(struct insn *i, int op, int kind) {
    i->vs1 = NONE;
    if (op == 0x13) {                                        /* vfsqrt and estimates */
        if (kind == 0) i->class = C_VFDIV;
        return;
    }
    i->wide_result = kind >= 8 && kind < 16;                 /* conversions */
    i->wide_vs2 = kind >= 16;
}

static void decode_float(struct insn *i, int op, int form, int rs1) {
    i->class = C_VFADD;
    if (form == OPFVV && (op == 1 || op == 5 || op == 7)) i->class = C_VFRED;
    else if (form == OPFVV && op == 3) i->class = C_VREDO;
    else if (op == 0x0e || op == 0x0f) i->class = C_VSLIDE;
    else if (op == 0x10 && form == OPFVV) {                  /* vfmv.f.s */
        i->frd = BITS(i->word, 7, 5);
        decode_move_to_scalar(i);
    } else if (op == 0x10) decode_move_from_scalar(i);
    else if (op == 0x12 || op == 0x13) decode_float_unary(i, op, rs1);
    else if (op == 0x17) {                                   /* vfmv.v.f vfmerge */
        i->class = C_VIALU;
        if (i->unmasked) i->vs2 = NONE;
    } else if (op >= 0x18 && op <= 0x1f) i->class = C_VMASK;
    else if (op == 0x20 || op == 0x21) i->class = C_VFDIV;
    else if (op == 0x24) i->class = C_VFMA;                  /* vfmul */
    else if (op >= 0x28 && op <= 0x2f) {
        i->class = C_VFMA;
        i->reads_vd = true;
    } else if (op >= 0x30) decode_widening_float(i, op);
}

static void decode_vset(struct insn *i, int rd, int rs1, int rs2) {
    unsigned top = i->word >> 30;
    i->class = C_VSET;
    i->rd = rd;
    if (top != 3) i->rs1 = rs1;                              /* not vsetivli */
    if (top == 2) i->rs2 = rs2;                              /* vsetvl */
}

static void decode_vector(struct insn *i, int rd, int rs1, int rs2) {
    int form = BITS(i->word, 12, 3), op = i->word >> 26;
    if (form == OPCFG) {
        decode_vset(i, rd, rs1, rs2);
        return;
    }
    i->unmasked = BITS(i->word, 25, 1);
    i->vd = rd;
    i->vs2 = rs2;
    switch (form) {
    case OPIVV: case OPFVV: case OPMVV: i->vs1 = rs1; break;
    case OPIVX: case OPMVX: i->rs1 = rs1; break;
    case OPFVF: i->frs1 = rs1;
    }
    switch (form) {
    case OPIVV: case OPIVI: case OPIVX: decode_integer(i, op, form); break;
    case OPMVV: case OPMVX: decode_multiply(i, op, form); break;
    default: decode_float(i, op, form, rs1);
    }
    if (!i->unmasked && i->vd != NONE && i->class != C_VMASK) i->reads_vd = true;
}

/* ---- 32-bit words ---- */

static void decode_full(struct insn *i) {
    uint32_t word = i->word;
    int rd = BITS(word, 7, 5), rs1 = BITS(word, 15, 5), rs2 = BITS(word, 20, 5);
    int form = BITS(word, 12, 3);
    switch (word & 0x7f) {
    case 0x37: case 0x17: i->rd = rd; break;                 /* lui auipc */
    case 0x6f: i->class = C_BR; i->rd = rd; break;           /* jal */
    case 0x67: i->class = C_BR; i->rd = rd; i->rs1 = rs1; break;
    case 0x63:
        i->class = C_BR;
        i->conditional = true;
        i->rs1 = rs1;
        i->rs2 = rs2;
        break;
    case 0x03: load(i, C_LD, rs1); i->rd = rd; break;
    case 0x23: store(i, C_ST, rs1); i->rs2 = rs2; break;
    case 0x13: case 0x1b: i->rd = rd; i->rs1 = rs1; break;
    case 0x33: case 0x3b:
        i->rd = rd;
        i->rs1 = rs1;
        i->rs2 = rs2;
        if (word >> 25 == 1) i->class = form < 4 ? C_MUL : C_DIV;
        break;
    case 0x73:
        i->class = C_CSR;
        i->rd = rd;
        if (form && form < 4) i->rs1 = rs1;
        break;
    case 0x43: case 0x47: case 0x4b: case 0x4f:              /* fmadd .. fnmadd */
        i->class = C_FP;
        i->frd = rd;
        i->frs1 = rs1;
        i->frs2 = rs2;
        i->frs3 = word >> 27;
        break;
    case 0x53: decode_op_fp(i, rd, rs1, rs2); break;
    case 0x07: decode_fp_memory(i, true, rd, rs1, rs2); break;
    case 0x27: decode_fp_memory(i, false, rd, rs1, rs2); break;
    case 0x57: decode_vector(i, rd, rs1, rs2); break;
    default: i->class = C_OTHER;
    }
}

void decode(struct insn *i) {
    i->rd = i->rs1 = i->rs2 = i->frd = i->frs1 = i->frs2 = i->frs3 = NONE;
    i->vd = i->vs1 = i->vs2 = NONE;
    i->class = C_ALU;
    i->unmasked = true;
    i->fields = 1;
    i->taken_counter = 2;
    if (i->size == 2) decode_compressed(i);
    else decode_full(i);
}
