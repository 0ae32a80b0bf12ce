/* Runs one job of a program, with Linux system calls and no C library.
 *
 *     harness job.bin result.bin
 *
 * job.bin is `struct job` followed by the buffers, outputs already poisoned; result.bin
 * is the same bytes after the last call. The scratch arena is poisoned here. Everything
 * lies at fixed addresses, the stack included, so that modelled cycles do not depend
 * on the environment of the process.
 */
#include <stddef.h>
#include <stdint.h>

#define MAGIC 0x314a42434d /* "MBCJ1" */
#define IMAGE_ADDRESS 0x1000000000
#define ARENA_ADDRESS 0x1800000000
#define STACK_ADDRESS 0x2000000000
#define STACK_BYTES (8 << 20)
#define POISON 0xff /* NaN in every float format */

enum exit_code { OK = 0, BAD_JOB = 71, NO_MEMORY = 72, NO_RESULT = 73 };

struct job {
    uint64_t magic, image_bytes, arena_bytes, warm_calls, buffers;
    uint64_t offset[]; /* of each buffer, from the start of the job */
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
enum { AT_FDCWD = -100, O_RDONLY = 0, O_WRONLY_CREAT_TRUNC = 01 | 0100 | 01000 };
enum { PROT_READ_WRITE = 3, MAP_PRIVATE_ANONYMOUS = 0x22 };

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
    if (head.magic != MAGIC || head.image_bytes < sizeof head) leave(BAD_JOB);
    char *image = map(IMAGE_ADDRESS, head.image_bytes);
    memcpy(image, &head, sizeof head);
    read_all(file, image + sizeof head, head.image_bytes - sizeof head);
    return (struct job *)image;
}

static void run_job(char **arguments) {
    struct job *job = load_job(arguments[1]);
    char *arena = job->arena_bytes ? map(ARENA_ADDRESS, job->arena_bytes) : NULL;
    memset(arena, POISON, job->arena_bytes);
    void *buffers[job->buffers + 1];
    for (uint64_t k = 0; k < job->buffers; k++)
        buffers[k] = (char *)job + job->offset[k];
    uint64_t warm_calls = job->warm_calls, bytes = job->image_bytes;
    while (warm_calls--) mbc_run(buffers, arena);
    roi_begin();
    mbc_run(buffers, arena);
    roi_end();
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
