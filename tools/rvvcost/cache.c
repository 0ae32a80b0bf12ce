/* L1 and L2 data caches (LRU, write-allocate) and a per-instruction stride prefetcher.
 *
 * Lines only carry tags: there is no write-back traffic. The caches also run before
 * the region of interest, so that warm calls warm them; misses count only inside it.
 */
#include <stdlib.h>

#include "rvvcost.h"

struct way {
    uint64_t tag; /* line number + 1, so that 0 is empty */
    uint64_t used;
};

struct level {
    struct way *ways;
    long sets, associativity;
};

static struct level level1, level2;
static uint64_t clock_of_use;
static uint64_t previous_line; /* + 1; elements of one access in one line count once */
static bool first_access;
static struct misses misses;

static struct level make_level(long bytes, long associativity) {
    long sets = bytes / param.line / associativity;
    return (struct level){calloc(sets * associativity, sizeof(struct way)), sets,
                          associativity};
}

void cache_init(void) {
    level1 = make_level(param.l1, param.l1ways);
    level2 = make_level(param.l2, param.l2ways);
}

/* Whether the line was there; it is the most recently used one afterwards. */
static bool touch(struct level *level, uint64_t line) {
    struct way *set = level->ways + (line % level->sets) * level->associativity;
    struct way *victim = set;
    for (long k = 0; k < level->associativity; k++) {
        if (set[k].tag == line + 1) {
            set[k].used = ++clock_of_use;
            return true;
        }
        if (set[k].used < victim->used) victim = &set[k];
    }
    *victim = (struct way){line + 1, ++clock_of_use};
    return false;
}

static void fetch_ahead(const struct insn *i, uint64_t address, int64_t stride) {
    uint64_t extent = is_unit_stride(i) ? vtype.vl * i->eew / 8 : 1;
    if (!extent) extent = 1;
    uint64_t ahead = address + stride * param.prefetch;
    uint64_t last = (ahead + extent - 1) / param.line;
    for (uint64_t line = ahead / param.line; line <= last; line++) {
        touch(&level1, line);
        touch(&level2, line);
    }
}

/* Three equal strides in a row of one instruction, and its future is fetched. */
static void train_prefetcher(struct insn *i, uint64_t address) {
    int64_t stride = (int64_t)(address - i->last_address);
    bool known = param.prefetch && i->last_address;
    i->last_address = address;
    if (!known) return;
    if (stride && stride == i->last_stride) {
        if (i->stride_confidence < 3) i->stride_confidence++;
    } else {
        i->stride_confidence = 0;
        i->last_stride = stride;
    }
    if (i->stride_confidence >= 2) fetch_ahead(i, address, stride);
}

void cache_begin_insn(void) { first_access = true; }
void cache_forget_line(void) { previous_line = 0; }

static void access_line(uint64_t line, bool counted) {
    if (line + 1 == previous_line) return;
    previous_line = line + 1;
    if (touch(&level1, line)) return;
    bool in_level2 = touch(&level2, line);
    if (!counted) return;
    totals.l1_miss++;
    if (in_level2) {
        misses.l2_hits++;
        return;
    }
    totals.l2_miss++;
    misses.memory++;
}

/* A vector instruction calls this once per element, in element order. */
void cache_access(struct insn *i, uint64_t address, unsigned size, bool counted) {
    if (counted) totals.bytes += size;
    if (!param.cache) return;
    if (first_access) {
        first_access = false;
        train_prefetcher(i, address);
    }
    uint64_t last = (address + size - 1) / param.line;
    for (uint64_t line = address / param.line; line <= last; line++)
        access_line(line, counted);
}

struct misses cache_take_misses(void) {
    struct misses taken = misses;
    misses = (struct misses){0, 0};
    cache_forget_line();
    return taken;
}
