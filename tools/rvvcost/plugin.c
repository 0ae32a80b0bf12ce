/* The QEMU side: translation and execution callbacks, the region of interest, the
 * vector configuration, and the report.
 *
 * Debian ships no qemu-plugin.h, so the part of plugin API 1 that is used is declared
 * here. That API cannot read registers; vl is therefore recovered by decoding
 * vset{i}vl{i} and reading its x register through internals that Debian 12's dynamic
 * qemu-riscv64 exports. Those reads are exact only at the start of a translation
 * block, which holds because QEMU 7.2 ends a block after each vset (checked below).
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rvvcost.h"

/* ---- plugin API 1 ---- */

typedef uint64_t plugin_id;
typedef uint32_t mem_info;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
enum { CB_NO_REGS = 0, MEM_READ_WRITE = 3 };
typedef void (*exec_callback)(unsigned cpu, void *data);
typedef void (*mem_callback)(unsigned cpu, mem_info, uint64_t address, void *data);

void qemu_plugin_register_vcpu_tb_trans_cb(
    plugin_id, void (*)(plugin_id, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_insn_exec_cb(
    struct qemu_plugin_insn *, exec_callback, int flags, void *data);
void qemu_plugin_register_vcpu_mem_cb(
    struct qemu_plugin_insn *, mem_callback, int flags, int rw, void *data);
void qemu_plugin_register_atexit_cb(plugin_id, void (*)(plugin_id, void *), void *);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *);
char *qemu_plugin_insn_disas(const struct qemu_plugin_insn *);
unsigned qemu_plugin_mem_size_shift(mem_info);

__attribute__((visibility("default"))) int qemu_plugin_version = 1;

/* ---- exported internals, for x registers only ---- */

struct byte_array {
    uint8_t *data;
    unsigned length;
};
void *qemu_get_cpu(int index);
int riscv_cpu_gdb_read_register(void *cpu, struct byte_array *, int number);
struct byte_array *g_byte_array_new(void);
struct byte_array *g_byte_array_set_size(struct byte_array *, unsigned);

static uint64_t read_x(int number) {
    static struct byte_array *bytes;
    if (!bytes) bytes = g_byte_array_new();
    g_byte_array_set_size(bytes, 0);
    riscv_cpu_gdb_read_register(qemu_get_cpu(0), bytes, number);
    uint64_t value;
    memcpy(&value, bytes->data, sizeof value);
    return value;
}

/* ---- state ---- */

static uint64_t roi_begin, roi_end;
static bool in_roi;
static struct insn *previous;
static const char *histogram_path;
static FILE *report;

static struct insn **translated;
static size_t translated_count, translated_capacity;

/* ---- vector configuration ---- */

static void apply_vset(const struct insn *vset) {
    uint32_t word = vset->word;
    int rs1 = word >> 15 & 31, rs2 = word >> 20 & 31;
    bool is_vsetvli = !(word >> 31), is_vsetivli = word >> 30 == 3;
    uint64_t type = is_vsetvli ? word >> 20 & 0x7ff
                  : is_vsetivli ? word >> 20 & 0x3ff
                                : read_x(rs2);
    int power = type & 7;
    vtype.sew = 8 << (type >> 3 & 7);
    vtype.lmul = power < 4 ? 1 << power : 1.0 / (1 << (8 - power));

    uint64_t longest = (uint64_t)((double)(param.vlen / vtype.sew) * vtype.lmul);
    uint64_t wanted = is_vsetivli ? (uint64_t)rs1 : 0;
    if (!is_vsetivli && vset->rd) {
        vtype.vl = read_x(vset->rd);
        return;
    }
    if (!is_vsetivli && !rs1) return; /* keeps vl */
    if (!is_vsetivli) wanted = read_x(rs1);
    vtype.vl = wanted < longest ? wanted : longest;
}

/* ---- execution ---- */

/* An instruction is timed when the next one begins: only then are its memory accesses
 * and its branch direction known. */
static void finish_previous(uint64_t next_pc) {
    if (!previous) return;
    model_retire(previous);
    model_branch(previous, previous->pc + previous->size != next_pc);
    if (previous->class == C_VSET) apply_vset(previous);
}

static void on_exec(unsigned cpu, void *data) {
    (void)cpu;
    struct insn *i = data;
    cache_begin_insn();
    if (!in_roi) {
        cache_forget_line();
        if (i->pc != roi_begin) return;
        in_roi = true;
        previous = NULL;
        model_reset();
        return;
    }
    if (i->pc == roi_end) {
        if (previous) model_retire(previous);
        in_roi = false;
        return;
    }
    finish_previous(i->pc);
    previous = i;
}

static void on_memory(unsigned cpu, mem_info info, uint64_t address, void *data) {
    (void)cpu;
    cache_access(data, address, 1u << qemu_plugin_mem_size_shift(info), in_roi);
}

/* ---- translation ---- */

static struct insn *make_insn(const struct qemu_plugin_insn *source) {
    struct insn *i = calloc(1, sizeof *i);
    i->pc = qemu_plugin_insn_vaddr(source);
    i->size = qemu_plugin_insn_size(source);
    memcpy(&i->word, qemu_plugin_insn_data(source), i->size);
    decode(i);
    if (histogram_path) i->text = qemu_plugin_insn_disas(source);
    if (translated_count == translated_capacity) {
        translated_capacity = translated_capacity ? 2 * translated_capacity : 1024;
        translated = realloc(translated, translated_capacity * sizeof *translated);
    }
    return translated[translated_count++] = i;
}

static void on_translate(plugin_id id, struct qemu_plugin_tb *block) {
    (void)id;
    size_t count = qemu_plugin_tb_n_insns(block);
    for (size_t k = 0; k < count; k++) {
        struct qemu_plugin_insn *source = qemu_plugin_tb_get_insn(block, k);
        struct insn *i = make_insn(source);
        if (i->class == C_VSET && k != count - 1) {
            fprintf(stderr, "rvvcost: this QEMU does not end a block after vset\n");
            exit(3);
        }
        qemu_plugin_register_vcpu_insn_exec_cb(source, on_exec, CB_NO_REGS, i);
        if (i->is_load || i->is_store)
            qemu_plugin_register_vcpu_mem_cb(source, on_memory, CB_NO_REGS,
                                             MEM_READ_WRITE, i);
    }
}

/* ---- reports ---- */

static void write_report(FILE *out) {
    fprintf(out, "{\"model\":\"" MODEL "\",\"cycles\":%" PRIu64, model_cycles());
    fprintf(out, ",\"insns\":%" PRIu64, totals.insns);
    fprintf(out, ",\"vector_insns\":%" PRIu64, totals.vector_insns);
    fprintf(out, ",\"l1_miss\":%" PRIu64, totals.l1_miss);
    fprintf(out, ",\"l2_miss\":%" PRIu64, totals.l2_miss);
    fprintf(out, ",\"bytes\":%" PRIu64 ",\"classes\":{", totals.bytes);
    const char *separator = "";
    for (int k = 0; k < C_COUNT; k++) {
        if (!totals.count[k]) continue;
        fprintf(out, "%s\"%s\":[%" PRIu64 ",%" PRIu64 "]", separator, class_name[k],
                totals.count[k], totals.busy[k]);
        separator = ",";
    }
    fprintf(out, "}}\n");
}

static int by_address(const void *a, const void *b) {
    const struct insn *x = *(struct insn *const *)a, *y = *(struct insn *const *)b;
    return x->pc < y->pc ? -1 : x->pc > y->pc;
}

/* One line per executed instruction: address, count, attributed cycles, class, text. */
static void write_histogram(FILE *out) {
    qsort(translated, translated_count, sizeof *translated, by_address);
    for (size_t k = 0; k < translated_count; k++) {
        const struct insn *i = translated[k];
        if (!i->executed) continue;
        fprintf(out, "%" PRIx64 " %8" PRIu64 " %10" PRIu64 " %-12s %s\n", i->pc,
                i->executed, i->cycles, class_name[i->class], i->text ? i->text : "");
    }
}

static void on_finish(plugin_id id, void *data) {
    (void)id, (void)data;
    write_report(report ? report : stderr);
    if (report) fclose(report);
    FILE *histogram = histogram_path ? fopen(histogram_path, "w") : NULL;
    if (!histogram) return;
    write_histogram(histogram);
    fclose(histogram);
}

/* ---- arguments ---- */

static bool set_option(const char *name, const char *value) {
    if (!strcmp(name, "begin")) return (roi_begin = strtoull(value, NULL, 16));
    if (!strcmp(name, "end")) return (roi_end = strtoull(value, NULL, 16));
    if (!strcmp(name, "out")) return (report = fopen(value, "w"));
    if (!strcmp(name, "hist")) return (histogram_path = strdup(value));
    return param_set(name, value);
}

__attribute__((visibility("default"))) int qemu_plugin_install(
    plugin_id id, const void *info, int argc, char **argv) {
    (void)info;
    for (int k = 0; k < argc; k++) {
        char *equals = strchr(argv[k], '=');
        if (equals) *equals = 0;
        if (equals && set_option(argv[k], equals + 1)) continue;
        fprintf(stderr, "rvvcost: unknown or unusable option %s\n", argv[k]);
        return 1;
    }
    if (!params_valid()) return 1;
    cache_init();
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
    qemu_plugin_register_atexit_cb(id, on_finish, NULL);
    return 0;
}
