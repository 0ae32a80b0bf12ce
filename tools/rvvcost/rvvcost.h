/* rvvcost, model v1: modelled cycles of RISC-V Vector code, as a QEMU 7.2 plugin.
 *
 *   plugin.c   everything that touches QEMU: callbacks, registers, the report
 *   decode.c   instruction word -> class and register operands
 *   model.c    in-order pipeline: when each instruction starts and ends
 *   cache.c    two levels of LRU data cache and a stride prefetcher
 *   params.c   the published parameters and their defaults
 */
#ifndef RVVCOST_H
#define RVVCOST_H

#include <stdbool.h>
#include <stdint.h>

#define MODEL "v1"
#define NONE (-1) /* an operand that an instruction does not have */
#define QUEUE_MAX 64

struct params {
    long vlen, dlen, mlen;                     /* register, arithmetic, memory bits */
    long width, queue, brpen;                  /* front end */
    long stride, index;                        /* elements per cycle */
    long fma, alu, fdiv, redlat;               /* vector latencies */
    long l1lat, vmemlat, l2lat, memlat;        /* load latencies */
    long cache, l1, l1ways, l2, l2ways, line;  /* geometry; cache=0 turns it off */
    long l2bw, membw, prefetch;                /* bytes per cycle; accesses ahead */
};
extern struct params param;
bool param_set(const char *name, const char *value);
bool params_valid(void);

/* The order matters: scalar classes, then VSET, then vector memory, then the rest. */
enum op_class {
    C_ALU, C_MUL, C_DIV, C_LD, C_ST, C_BR, C_FP, C_FPDIV, C_FLD, C_FST, C_CSR, C_OTHER,
    C_VSET,
    C_VLD, C_VST, C_VLDS, C_VSTS, C_VLDX, C_VSTX,
    C_VLD_WHOLE, C_VST_WHOLE, C_VMASKMEM,
    C_VIALU, C_VIMUL, C_VIDIV, C_VFADD, C_VFMA, C_VFDIV, C_VRED, C_VREDO, C_VFRED,
    C_VPERM, C_VGATHER, C_VSLIDE, C_VMV_XS, C_VMASK,
    C_COUNT
};
extern const char *const class_name[C_COUNT];

/* One translated instruction, what the model knows of it, and its own history. */
struct insn {
    uint64_t pc;
    uint32_t word;
    uint8_t size, class;
    int8_t rd, rs1, rs2;          /* x registers */
    int8_t frd, frs1, frs2, frs3; /* f registers */
    int8_t vd, vs1, vs2;          /* v registers; a store's data is vd */
    bool conditional;             /* a branch that may fall through */
    bool is_load, is_store;
    bool reads_vd;                /* accumulates, or keeps masked-off elements */
    bool unmasked;
    bool wide_result, wide_vs2;   /* twice SEW */
    uint8_t eew, fields;          /* memory: element bits; segment fields or regs */
    uint8_t taken_counter;        /* 2-bit branch predictor */
    uint8_t stride_confidence;    /* prefetcher */
    int64_t last_stride;
    uint64_t last_address;
    uint64_t executed, cycles;    /* for the histogram */
    char *text;
};

static inline bool is_vector(const struct insn *i) { return i->class > C_VSET; }
static inline bool is_vector_memory(const struct insn *i) {
    return i->class >= C_VLD && i->class <= C_VMASKMEM;
}
static inline bool is_unit_stride(const struct insn *i) {
    return i->class == C_VLD || i->class == C_VST;
}

void decode(struct insn *i); /* fills everything from pc, word and size */

/* The vector configuration that the last vset{i}vl{i} left. */
struct vtype {
    uint64_t vl;
    long sew;
    double lmul;
};
extern struct vtype vtype;

/* model.c */
struct totals {
    uint64_t insns, vector_insns, bytes, l1_miss, l2_miss;
    uint64_t count[C_COUNT], busy[C_COUNT]; /* busy: cycles a vector unit was held */
};
extern struct totals totals;
void model_reset(void);
void model_retire(struct insn *i);
void model_branch(struct insn *i, bool taken);
uint64_t model_cycles(void);

/* cache.c: misses of the instruction in flight, collected by its memory callbacks */
struct misses {
    uint64_t l2_hits, memory;
};
void cache_init(void);
void cache_begin_insn(void);
void cache_access(struct insn *i, uint64_t address, unsigned size, bool counted);
struct misses cache_take_misses(void);
void cache_forget_line(void);

#endif
