/* Runs one job of a program, with Linux system calls and no C library.
 *
 *     harness job.bin result.bin
 *
 * job.bin is `struct job` followed by the buffers, outputs already poisoned; result.bin
 * is the same bytes after the last call. The scratch arena is poisoned here. Everything
 * lies at fixed addresses, the stack included, so that modelled cycles do not depend
 * on the environment of the process.
 *
 * In a guarded job, `offset` is followed by a `struct guard` for each buffer. Buffers
 * then move between pages without access, flush with one of them, and a hit is told on
 * standard error: "hit <buffer> <read|write> <inside|outside>".
 */
#include <stddef.h>
#include <stdint.h>

#define MAGIC 0x314a42434d /* "MBCJ1", plus the placement */
#define IMAGE_ADDRESS 0x1000000000
#define ARENA_ADDRESS 0x1800000000
#define STACK_ADDRESS 0x2000000000
#define GUARDED_ADDRESS 0x2800000000
#define COPY_ADDRESS 0x3800000000
#define RESTORED (1u << 31) /* beside warm_calls: buffers are restored after each */
#define STACK_BYTES (8 << 20)
#define PAGE 4096
#define SLACK 0xa5

enum exit_code { OK = 0, BAD_JOB = 71, NO_MEMORY = 72, NO_RESULT = 73, GUARD_HIT = 74 };
enum placement { TOGETHER, FLUSH_TO_END, FLUSH_TO_START };

struct job {
    uint64_t magic, image_bytes, arena_bytes;
    uint32_t warm_calls, poison; /* poison: the byte that fills the arena */
    uint64_t buffers;
    uint64_t offset[]; /* of each buffer, from the start of the job */
};

struct guard {
    uint64_t bytes, writable;
};

void mbc_run(void **buffers, char *arena);

void *memset(void *to, int value, size_t count) {
    for (char *p = to; count--;) *p++ = value;
    return to;
}

void *memcpy(void *restrict to, const void *restrict from, size_t count) {
    const char *source = from;
    for (char *p = to; count--;) *p++ = *source++;
    return to;
}

void *memmove(void *to, const void *from, size_t count) {
    if ((uintptr_t)to <= (uintptr_t)from) return memcpy(to, from, count);
    while (count--) ((char *)to)[count] = ((const char *)from)[count];
    return to;
}

int memcmp(const void *a, const void *b, size_t count) {
    const unsigned char *x = a, *y = b;
    for (; count; count--, x++, y++)
        if (*x != *y) return *x - *y;
    return 0;
}

/* ---- system calls ---- */

enum { SYS_OPENAT = 56, SYS_READ = 63, SYS_WRITE = 64, SYS_EXIT = 93, SYS_MMAP = 222 };
enum { SYS_KILL = 129, SYS_SIGALTSTACK = 132, SYS_SIGACTION = 134, SYS_GETPID = 172 };
enum { SYS_MPROTECT = 226 };
enum { AT_FDCWD = -100, O_RDONLY = 0, O_WRONLY_CREAT_TRUNC = 01 | 0100 | 01000 };
enum { PROT_NONE = 0, PROT_READ = 1, PROT_READ_WRITE = 3, MAP_PRIVATE_ANONYMOUS = 0x22 };
enum { SIGSEGV = 11, SA_SIGINFO = 4, SA_ONSTACK = 0x08000000, SA_NODEFER = 0x40000000 };

static long call(long number, long a, long b, long c, long d) {
    register long a7 __asm__("a7") = number, a0 __asm__("a0") = a, a1 __asm__("a1") = b;
    register long a2 __asm__("a2") = c, a3 __asm__("a3") = d;
    register long a4 __asm__("a4") = -1, a5 __asm__("a5") = 0; /* mmap: no file */
    __asm__ volatile("ecall"
                     : "+r"(a0)
                     : "r"(a7), "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5)
                     : "memory");
    return a0;
}

static void leave(enum exit_code code) {
    for (;;) call(SYS_EXIT, code, 0, 0, 0);
}

static void *map(long address, size_t bytes) {
    long got = call(SYS_MMAP, address, bytes, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS);
    if (got != address) leave(NO_MEMORY);
    return (void *)got;
}

static void read_all(long file, char *to, size_t count) {
    while (count) {
        long got = call(SYS_READ, file, (long)to, count, 0);
        if (got <= 0) leave(BAD_JOB);
        to += got;
        count -= got;
    }
}

static void write_all(long file, const char *from, size_t count) {
    while (count) {
        long put = call(SYS_WRITE, file, (long)from, count, 0);
        if (put <= 0) leave(NO_RESULT);
        from += put;
        count -= put;
    }
}

/* ---- the job ---- */

/* The measured region is what runs between these two functions. */
#define MARK __attribute__((noinline, used)) void
MARK roi_begin(void) { __asm__ volatile("nop" ::: "memory"); }
MARK roi_end(void) { __asm__ volatile("nop" ::: "memory"); }

static struct job *load_job(const char *path) {
    long file = call(SYS_OPENAT, AT_FDCWD, (long)path, O_RDONLY, 0);
    struct job head;
    if (file < 0) leave(BAD_JOB);
    read_all(file, (char *)&head, sizeof head);
    if (head.magic - MAGIC > FLUSH_TO_START || head.image_bytes < sizeof head) leave(BAD_JOB);
    char *image = map(IMAGE_ADDRESS, head.image_bytes);
    memcpy(image, &head, sizeof head);
    read_all(file, image + sizeof head, head.image_bytes - sizeof head);
    return (struct job *)image;
}

/* ---- guards ---- */

struct room {
    char *first, *start;
    uint64_t pages, bytes, writable;
};

/* What the signal handler knows; volatile, because a kernel's call changes it. */
static struct room *volatile rooms;
static volatile uint64_t room_count;

/* A page without access, the pages that hold `bytes`, and another such page. */
static struct room make_room(char **next, uint64_t bytes, enum placement placement) {
    struct room room = {*next + PAGE, 0, bytes / PAGE + 1, bytes, 1};
    if (bytes && bytes % PAGE == 0) room.pages--;
    uint64_t body = room.pages * PAGE;
    map((long)*next, body + 2 * PAGE);
    call(SYS_MPROTECT, (long)*next, PAGE, PROT_NONE, 0);
    call(SYS_MPROTECT, (long)(room.first + body), PAGE, PROT_NONE, 0);
    memset(room.first, SLACK, body);
    room.start = placement == FLUSH_TO_START ? room.first : room.first + body - bytes;
    *next += body + 2 * PAGE;
    return room;
}

static void say(const char *text) {
    size_t length = 0;
    while (text[length]) length++;
    write_all(2, text, length);
}

static void say_hit(uint64_t buffer, const char *how) {
    char digits[24] = {0}, *at = digits + 22;
    do *--at = '0' + buffer % 10;
    while (buffer /= 10);
    say("hit ");
    say(at);
    say(how);
    leave(GUARD_HIT);
}

/* Whether the instruction at `pc` stores: by opcode, or by the compressed forms. */
static int stores(const uint16_t *pc) {
    unsigned low = pc[0] & 0x7f, form = pc[0] >> 13;
    if ((low & 3) == 3) return low == 0x23 || low == 0x27 || low == 0x2f;
    return (low & 3) != 1 && form >= 5;
}

static void on_fault(int number, char *info, char *context) {
    char *address = *(char **)(info + 16);
    int writes = stores(*(const uint16_t **)(context + 176));
    for (uint64_t k = 0; k < room_count; k++) {
        struct room room = rooms[k];
        char *end = room.first + room.pages * PAGE;
        if (address < room.first - PAGE || address >= end + PAGE) continue;
        if (address >= room.start && address < room.start + room.bytes)
            say_hit(k, " write inside\n");
        say_hit(k, writes ? " write outside\n" : " read outside\n");
    }
    long default_action[3] = {0};
    call(SYS_SIGACTION, number, (long)default_action, 0, 8);
    call(SYS_KILL, call(SYS_GETPID, 0, 0, 0, 0), number, 0, 0);
}

static void watch_faults(void) {
    static char stack[16 << 10];
    struct {
        char *at;
        long flags, bytes;
    } own = {stack, 0, sizeof stack};
    long action[3] = {(long)on_fault, SA_SIGINFO | SA_ONSTACK | SA_NODEFER, 0};
    call(SYS_SIGALTSTACK, (long)&own, 0, 0, 0);
    call(SYS_SIGACTION, SIGSEGV, (long)action, 0, 8);
}

static void check_slack(uint64_t k, struct room room) {
    char *end = room.first + room.pages * PAGE;
    for (const unsigned char *p = (void *)room.first; (char *)p < end; p++) {
        if ((char *)p == room.start) p += room.bytes;
        if ((char *)p < end && *p != SLACK) say_hit(k, " write outside\n");
    }
}

/* The arena is one room more than there are buffers. */
static void run_guarded(struct job *job, enum placement placement) {
    const struct guard *guards = (void *)(job->offset + job->buffers);
    uint64_t count = job->buffers;
    struct room all[count + 1];
    void *buffers[count + 1];
    char *next = (char *)GUARDED_ADDRESS;
    for (uint64_t k = 0; k < count; k++) {
        all[k] = make_room(&next, guards[k].bytes, placement);
        memcpy(all[k].start, (char *)job + job->offset[k], guards[k].bytes);
        buffers[k] = all[k].start;
        if (!guards[k].writable)
            call(SYS_MPROTECT, (long)all[k].first, all[k].pages * PAGE, PROT_READ, 0);
    }
    all[count] = make_room(&next, job->arena_bytes, placement);
    memset(all[count].start, job->poison, job->arena_bytes);
    rooms = all;
    room_count = count + 1;
    watch_faults();
    call(SYS_MPROTECT, (long)job, job->image_bytes, PROT_NONE, 0);
    mbc_run(buffers, all[count].start);
    call(SYS_MPROTECT, IMAGE_ADDRESS, PAGE, PROT_READ, 0);
    call(SYS_MPROTECT, IMAGE_ADDRESS, job->image_bytes, PROT_READ_WRITE, 0);
    for (uint64_t k = 0; k <= count; k++) check_slack(k, all[k]);
    for (uint64_t k = 0; k < count; k++)
        memcpy((char *)job + job->offset[k], all[k].start, guards[k].bytes);
}

static void run_restored(struct job *job, uint32_t calls, void **buffers, char *arena) {
    char *copy = map(COPY_ADDRESS, job->image_bytes);
    memcpy(copy, job, job->image_bytes);
    while (calls--) {
        mbc_run(buffers, arena);
        memcpy(job, copy, job->image_bytes);
        memset(arena, job->poison, job->arena_bytes);
    }
}

static void run_together(struct job *job) {
    char *arena = job->arena_bytes ? map(ARENA_ADDRESS, job->arena_bytes) : NULL;
    memset(arena, job->poison, job->arena_bytes);
    void *buffers[job->buffers + 1];
    for (uint64_t k = 0; k < job->buffers; k++)
        buffers[k] = (char *)job + job->offset[k];
    uint32_t warm_calls = job->warm_calls & ~RESTORED;
    if (job->warm_calls & RESTORED)
        run_restored(job, warm_calls, buffers, arena);
    else
        while (warm_calls--) mbc_run(buffers, arena);
    roi_begin();
    mbc_run(buffers, arena);
    roi_end();
}

static void run_job(char **arguments) {
    struct job *job = load_job(arguments[1]);
    enum placement placement = job->magic - MAGIC;
    uint64_t bytes = job->image_bytes;
    if (placement == TOGETHER)
        run_together(job);
    else
        run_guarded(job, placement);
    long path = (long)arguments[2];
    long file = call(SYS_OPENAT, AT_FDCWD, path, O_WRONLY_CREAT_TRUNC, 0600);
    if (file < 0) leave(NO_RESULT);
    write_all(file, (const char *)job, bytes);
    leave(OK);
}

__attribute__((used)) static void start(long *stack) {
    if (stack[0] < 3) leave(BAD_JOB);
    char *top = (char *)map(STACK_ADDRESS, STACK_BYTES) + STACK_BYTES;
    __asm__ volatile("mv sp, %0\n\tmv a0, %1\n\tjr %2"
                     :
                     : "r"(top), "r"(stack + 1), "r"(run_job)
                     : "a0", "memory");
    __builtin_unreachable();
}

__asm__(".globl _start\n"
        "_start:\n"
        "    .option push\n"
        "    .option norelax\n"
        "    la gp, __global_pointer$\n"
        "    .option pop\n"
        "    mv a0, sp\n"
        "    andi sp, sp, -16\n"
        "    call start\n");
