/* The pipeline: an in-order scalar front end feeds, through a queue, one vector
 * arithmetic unit and one vector memory unit, which chain on element beats.
 *
 * Nothing is simulated cycle by cycle. Each instruction is given a start and an end
 * from the times at which its operands, its unit and its queue entry are free.
 */
#include <string.h>

#include "rvvcost.h"

struct totals totals;
struct vtype vtype = {0, 8, 1};

enum unit { ARITHMETIC, MEMORY, UNITS };

/* Times in cycles since the region of interest began. */
static struct {
    uint64_t now;              /* the cycle that is issuing */
    long issued;               /* instructions issued in it */
    uint64_t end;              /* the latest completion */
    uint64_t x[32], f[32];     /* scalar register: value ready */
    uint64_t v_first[32];      /* vector register: first element ready */
    uint64_t v_last[32];       /* ... and last element */
    uint64_t v_read[32];       /* ... and end of the last read */
    uint64_t unit_start[UNITS], unit_free[UNITS];
    uint64_t queue[QUEUE_MAX]; /* start times of the newest vector instructions */
    long queue_head;
} at;

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }
static uint64_t ceil_div(uint64_t a, uint64_t b) { return (a + b - 1) / b; }
static uint64_t less(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }

void model_reset(void) { memset(&at, 0, sizeof at); }
uint64_t model_cycles(void) { return later(at.now, at.end); }

static uint64_t scalar_operands_ready(const struct insn *i) {
    uint64_t t = at.now;
    if (i->rs1 > 0) t = later(t, at.x[i->rs1]);
    if (i->rs2 > 0) t = later(t, at.x[i->rs2]);
    if (i->frs1 != NONE) t = later(t, at.f[i->frs1]);
    if (i->frs2 != NONE) t = later(t, at.f[i->frs2]);
    if (i->frs3 != NONE) t = later(t, at.f[i->frs3]);
    return t;
}

static void write_scalar(const struct insn *i, uint64_t ready) {
    if (i->rd > 0) at.x[i->rd] = ready;
    if (i->frd != NONE) at.f[i->frd] = ready;
}

/* Take an issue slot at `t`, which may be later than the current cycle. */
static void issue(uint64_t t) {
    if (t > at.now) {
        at.now = t;
        at.issued = 0;
    }
    at.issued++;
}

/* ---- what misses add ---- */

struct delay {
    uint64_t latency;  /* average over the lines that missed */
    uint64_t transfer; /* cycles for which the line fills occupy the bus */
};

static struct delay miss_delay(void) {
    struct misses m = cache_take_misses();
    uint64_t lines = m.l2_hits + m.memory;
    if (!lines) return (struct delay){0, 0};
    return (struct delay){
        (m.l2_hits * param.l2lat + m.memory * param.memlat) / lines,
        m.l2_hits * (param.line / param.l2bw) + m.memory * (param.line / param.membw),
    };
}

/* ---- scalar ---- */

static uint64_t scalar_latency(int class) {
    switch (class) {
    case C_MUL: case C_CSR: return 3;
    case C_DIV: return 20;
    case C_FP: return 4;
    case C_FPDIV: return param.fdiv;
    case C_LD: case C_FLD: return param.l1lat;
    default: return 1;
    }
}

static void retire_scalar(const struct insn *i, uint64_t t, struct delay miss) {
    uint64_t latency = scalar_latency(i->class);
    if (i->is_load) latency += miss.latency + miss.transfer;
    else t += miss.transfer / 2; /* a store buffer hides half of a fill */
    issue(t);
    write_scalar(i, t + latency);
    at.end = later(at.end, t + i->is_store);
}

/* ---- vector: size of the work ---- */

/* `registers`: per operand group, before widening; `bits`: datapath work in all. */
struct work {
    uint64_t elements, bits;
    long sew;
    int registers;
};

static bool is_whole(const struct insn *i) {
    return i->class == C_VLD_WHOLE || i->class == C_VST_WHOLE;
}

static bool is_segment(const struct insn *i) { return i->fields > 1 && !is_whole(i); }

static bool is_reduction(const struct insn *i) {
    return i->class == C_VRED || i->class == C_VREDO || i->class == C_VFRED;
}

static struct work work_of(const struct insn *i) {
    struct work w = {.elements = vtype.vl, .sew = vtype.sew};
    double lmul = vtype.lmul;
    bool is_indexed = i->class == C_VLDX || i->class == C_VSTX; /* eew is the index's */
    if (is_vector_memory(i) && !is_indexed) {
        w.sew = i->eew;
        lmul = vtype.lmul * i->eew / vtype.sew;
    }
    w.bits = w.elements * w.sew * i->fields;
    if (is_whole(i)) {
        w.bits = (uint64_t)i->fields * param.vlen;
        lmul = i->fields;
    }
    if (i->class == C_VMASKMEM) w.bits = w.elements;
    if (i->wide_result) w.bits *= 2;
    w.registers = lmul < 1 ? 1 : (int)lmul;
    return w;
}

/* ---- vector: how long the unit is held, and when results follow ---- */

struct timing {
    uint64_t occupancy, latency;
};

static struct timing contiguous(const struct insn *i, struct work w) {
    uint64_t beats = ceil_div(w.bits, param.mlen);
    if (is_segment(i)) { /* fields are shuffled at half the bandwidth */
        uint64_t shuffled = w.elements * i->fields * w.sew / (param.mlen / 2);
        beats = later(beats, shuffled);
    }
    return (struct timing){beats, param.vmemlat};
}

static uint64_t tree_depth(long sew) {
    uint64_t depth = 0;
    for (long lanes = param.dlen / sew; lanes > 1; lanes >>= 1) depth++;
    return depth;
}

static struct timing divide(struct work w) {
    uint64_t per_64_bits = param.fdiv * 64 / (param.dlen < 64 ? 64 : param.dlen);
    uint64_t occupancy = ceil_div(w.elements * w.sew, 64) * per_64_bits;
    return (struct timing){later(occupancy, param.fdiv), param.fdiv};
}

static struct timing timing_of(const struct insn *i, struct work w) {
    uint64_t beats = ceil_div(w.bits, param.dlen), touched = w.elements * i->fields;
    uint64_t tree = tree_depth(w.sew) * param.redlat / 2;
    switch (i->class) {
    case C_VLD: case C_VST: case C_VLD_WHOLE: case C_VST_WHOLE: case C_VMASKMEM:
        return contiguous(i, w);
    case C_VLDS: case C_VSTS:
        return (struct timing){ceil_div(touched, param.stride), param.vmemlat};
    case C_VLDX: case C_VSTX:
        return (struct timing){ceil_div(touched, param.index), param.vmemlat + 1};
    case C_VFMA: case C_VFADD: case C_VIMUL:
        return (struct timing){beats, param.fma};
    case C_VFDIV: case C_VIDIV:
        return divide(w);
    case C_VREDO:
        return (struct timing){w.elements * param.redlat, 1};
    case C_VFRED:
        return (struct timing){beats + tree, tree + param.redlat};
    case C_VRED:
        return (struct timing){beats, tree_depth(w.sew) + param.alu};
    case C_VGATHER:
        return (struct timing){w.registers * beats, 3};
    case C_VSLIDE: case C_VPERM:
        return (struct timing){beats, 3};
    default:
        return (struct timing){beats, param.alu};
    }
}

/* ---- vector: dependences ---- */

/* The earliest start, and the last moment at which a source is still arriving. */
struct window {
    uint64_t start, sources_end;
};

/* Chaining: register k of a group is only needed when beat k of the work begins. */
static void wait_for_group(struct window *w, int base, int registers,
                           uint64_t occupancy) {
    for (int k = 0; k < registers && base + k < 32; k++) {
        uint64_t needed_after = occupancy * k / registers;
        w->start = later(w->start, less(at.v_first[base + k], needed_after));
        w->sources_end = later(w->sources_end, at.v_last[base + k]);
    }
}

/* An overwritten register must have been read by the time its new beats arrive. */
static void wait_for_readers(struct window *w, int base, int registers,
                             uint64_t occupancy) {
    for (int k = 0; k < registers && base + k < 32; k++)
        w->start = later(w->start, less(at.v_read[base + k] + 1, occupancy));
}

static int result_registers(const struct insn *i, struct work w) {
    if (is_reduction(i) || i->class == C_VMASK) return 1;
    return w.registers * (i->wide_result ? 2 : 1) * (is_segment(i) ? i->fields : 1);
}

static struct window operands_ready(const struct insn *i, struct work w, uint64_t start,
                                    uint64_t occupancy) {
    struct window ready = {start, 0};
    int results = result_registers(i, w);
    if (i->vs2 != NONE)
        wait_for_group(&ready, i->vs2, w.registers * (i->wide_vs2 ? 2 : 1), occupancy);
    if (i->vs1 != NONE && is_reduction(i)) /* the scalar start value */
        ready.start = later(ready.start, at.v_last[i->vs1]);
    else if (i->vs1 != NONE)
        wait_for_group(&ready, i->vs1, w.registers, occupancy);
    if (!i->unmasked) ready.start = later(ready.start, at.v_first[0]);
    if (i->vd == NONE) return ready;
    if (i->reads_vd || i->is_store) wait_for_group(&ready, i->vd, results, occupancy);
    if (!i->is_store) wait_for_readers(&ready, i->vd, results, occupancy);
    return ready;
}

static void mark_read(int base, int registers, uint64_t end) {
    for (int k = 0; k < registers && base + k < 32; k++)
        at.v_read[base + k] = later(at.v_read[base + k], end);
}

static void write_vector(const struct insn *i, int registers, uint64_t start,
                         uint64_t end, uint64_t latency) {
    bool all_at_once = is_reduction(i) || i->class == C_VGATHER;
    uint64_t last = end - 1 + latency;
    for (int k = 0; k < registers && i->vd + k < 32; k++) {
        uint64_t beat = (uint64_t)((double)(end - start) * k / registers);
        at.v_first[i->vd + k] = all_at_once ? last : start + latency + beat;
        at.v_last[i->vd + k] = last;
    }
}

static void retire_vector(const struct insn *i, uint64_t t, struct delay miss) {
    uint64_t *slot = &at.queue[at.queue_head];
    at.queue_head = (at.queue_head + 1) % param.queue;
    t = later(t, *slot); /* a full queue stalls the front end */
    issue(t);

    struct work w = work_of(i);
    struct timing timing = timing_of(i, w);
    uint64_t occupancy = later(timing.occupancy, 1);
    uint64_t latency = timing.latency + (i->is_load ? miss.latency : 0);
    enum unit unit = is_vector_memory(i) ? MEMORY : ARITHMETIC;
    uint64_t free = later(at.unit_start[unit] + 1, at.unit_free[unit]);

    struct window ready = operands_ready(i, w, later(t + 1, free), occupancy);
    uint64_t start = ready.start, end = start + occupancy;
    end += less(miss.transfer, occupancy);
    if (ready.sources_end) end = later(end, ready.sources_end + 1);
    uint64_t last = end - 1 + latency;

    at.unit_start[unit] = *slot = start;
    at.unit_free[unit] = end;
    if (i->vd != NONE && !i->is_store)
        write_vector(i, result_registers(i, w), start, end, latency);
    if (i->vs2 != NONE) mark_read(i->vs2, w.registers, end);
    if (i->vs1 != NONE) mark_read(i->vs1, w.registers, end);
    write_scalar(i, last + 3); /* the way back to the scalar side */
    totals.busy[i->class] += end - start;
    at.end = later(at.end, i->is_store ? end : last);
}

/* ---- both ---- */

void model_retire(struct insn *i) {
    uint64_t before = model_cycles();
    totals.insns++;
    totals.count[i->class]++;
    i->executed++;
    if (at.issued >= param.width) {
        at.now++;
        at.issued = 0;
    }
    uint64_t t = scalar_operands_ready(i);
    struct delay miss = miss_delay();
    if (is_vector(i)) {
        totals.vector_insns++;
        retire_vector(i, t, miss);
    } else {
        retire_scalar(i, t, miss);
    }
    i->cycles += model_cycles() - before;
}

/* A 2-bit counter per conditional branch; every taken one costs a fetch bubble. */
void model_branch(struct insn *i, bool taken) {
    if (i->class != C_BR) return;
    if (i->conditional) {
        if ((i->taken_counter >= 2) != taken) {
            at.now += param.brpen;
            at.issued = 0;
        }
        if (taken && i->taken_counter < 3) i->taken_counter++;
        if (!taken && i->taken_counter > 0) i->taken_counter--;
    }
    if (taken) {
        at.now++;
        at.issued = 0;
    }
}
