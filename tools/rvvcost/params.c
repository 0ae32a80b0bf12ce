/* The published parameters of model v1. README.md says what each one means. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rvvcost.h"

struct params param = {
    .vlen = 256, .dlen = 256, .mlen = 128,
    .width = 2, .queue = 8, .brpen = 4,
    .stride = 1, .index = 1,
    .fma = 4, .alu = 2, .fdiv = 16, .redlat = 4,
    .l1lat = 3, .vmemlat = 4, .l2lat = 12, .memlat = 60,
    .cache = 1, .l1 = 32768, .l1ways = 8, .l2 = 524288, .l2ways = 8, .line = 64,
    .l2bw = 16, .membw = 4, .prefetch = 4,
};

#define ENTRY(field) {#field, &param.field}

static const struct {
    const char *name;
    long *value;
} table[] = {
    ENTRY(vlen),    ENTRY(dlen),   ENTRY(mlen),   ENTRY(width), ENTRY(queue),
    ENTRY(brpen),   ENTRY(stride), ENTRY(index),  ENTRY(fma),   ENTRY(alu),
    ENTRY(fdiv),    ENTRY(redlat), ENTRY(l1lat),  ENTRY(vmemlat), ENTRY(l2lat),
    ENTRY(memlat),  ENTRY(cache),  ENTRY(l1),     ENTRY(l1ways), ENTRY(l2),
    ENTRY(l2ways),  ENTRY(line),   ENTRY(l2bw),   ENTRY(membw), ENTRY(prefetch),
};

#define TABLE_SIZE (sizeof table / sizeof *table)

bool param_set(const char *name, const char *value) {
    for (size_t k = 0; k < TABLE_SIZE; k++) {
        if (strcmp(table[k].name, name)) continue;
        char *end;
        *table[k].value = strtol(value, &end, 10);
        return *value && !*end;
    }
    return false;
}

/* Every parameter divides something or counts something: zero is for switches only. */
bool params_valid(void) {
    for (size_t k = 0; k < TABLE_SIZE; k++) {
        const long *value = table[k].value;
        bool is_switch = value == &param.cache || value == &param.prefetch;
        if (*value >= (is_switch ? 0 : 1)) continue;
        fprintf(stderr, "rvvcost: parameter %s is out of range\n", table[k].name);
        return false;
    }
    bool ok = param.queue <= QUEUE_MAX && param.mlen >= 2
        && param.l1 >= param.line * param.l1ways
        && param.l2 >= param.line * param.l2ways
        && param.l2bw <= param.line && param.membw <= param.line;
    if (!ok) fprintf(stderr, "rvvcost: parameters do not fit each other\n");
    return ok;
}
