// Runs one job of a program: `program job.bin result.bin`.
//
// job.bin is `Job` followed by the buffers, outputs already poisoned; result.bin is the
// same bytes after the run. The fences around buffers are out of bounds to kernels.
#pragma once
#if __has_include(<linux/seccomp.h>) && defined(__x86_64__)
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

struct Job {
  uint64_t magic, image_bytes, arena_bytes;
  uint32_t warm_calls, poison;  // poison: the byte that fills scratch and shared memory
  uint64_t buffers;
  uint64_t offset[];  // of each buffer, from the start of the job
};

enum { ALIGNMENT = 256 };

// A buffer under whatever pointer type a kernel takes.
struct Pointer {
  char *at;
  template <class T>
  operator T *() const {
    return (T *)at;
  }
};

extern "C" const char *__asan_default_options() { return "detect_leaks=0:symbolize=0"; }

// Generated, behind the program.
extern const uint64_t buffer_bytes[];
static void mbc_run(char **buffers, char *arena);

static char *load_image(const char *path, size_t *bytes) {
  FILE *file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END)) return nullptr;
  *bytes = ftell(file);
  rewind(file);
  void *image = nullptr;
  if (posix_memalign(&image, ALIGNMENT, *bytes)) return nullptr;
  const bool complete = fread(image, 1, *bytes, file) == *bytes;
  fclose(file);
  return complete ? (char *)image : nullptr;
}

// From here on only memory, signals, output to open files and the end of the process.
// Refused calls fail: the sanitizers go on with their report.
static void lock_down() {
#if __has_include(<linux/seccomp.h>) && defined(__x86_64__)
  static const int allowed[] = {
      SYS_write,       SYS_writev,        SYS_close,          SYS_fstat,
      SYS_lseek,       SYS_mmap,          SYS_munmap,         SYS_mprotect,
      SYS_madvise,     SYS_brk,           SYS_mremap,         SYS_exit,
      SYS_exit_group,  SYS_rt_sigreturn,  SYS_rt_sigprocmask, SYS_rt_sigaction,
      SYS_sigaltstack, SYS_clock_gettime, SYS_gettid,         SYS_getpid,
      SYS_futex,       SYS_sched_yield};
  enum { COUNT = sizeof allowed / sizeof *allowed };
  static sock_filter code[2 * COUNT + 6];
  sock_filter *next = code;
  const unsigned number = offsetof(seccomp_data, nr);
  *next++ = BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch));
  *next++ = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0xc000003eu, 1, 0);
  *next++ = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
  *next++ = BPF_STMT(BPF_LD | BPF_W | BPF_ABS, number);
  for (int call : allowed) {
    *next++ = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 0, 1);
    *next++ = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  }
  *next++ = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1);
  const sock_fprog program = {(unsigned short)(next - code), code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return;
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
#endif
}

static bool store_image(FILE *file, const char *image, size_t bytes) {
  const bool complete = fwrite(image, 1, bytes, file) == bytes;
  return fclose(file) == 0 && complete;
}

int main(int count, char **arguments) {
  size_t bytes = 0;
  char *image = count == 3 ? load_image(arguments[1], &bytes) : nullptr;
  if (!image) emulated::fail(emulated::CANNOT_RUN, "the job cannot be read");
  Job *job = (Job *)image;
  void *arena = nullptr;
  if (posix_memalign(&arena, ALIGNMENT, job->arena_bytes + 1))
    emulated::fail(emulated::CANNOT_RUN, "no memory for scratch");
  emulated::poison = job->poison;
  memset(arena, emulated::poison, job->arena_bytes);
  const uint64_t own = job->buffers;
  char **buffers = (char **)calloc(own + 1, sizeof *buffers);
  for (uint64_t k = 0; k < own; ++k) buffers[k] = image + job->offset[k];
  FILE *result = fopen(arguments[2], "wb");
  if (!result) emulated::fail(emulated::CANNOT_RUN, "the result cannot be written");
  lock_down();
  ASAN_POISON_MEMORY_REGION(image, bytes);
  for (uint64_t k = 0; k < own; ++k)
    ASAN_UNPOISON_MEMORY_REGION(buffers[k], buffer_bytes[k]);
  mbc_run(buffers, (char *)arena);
  ASAN_UNPOISON_MEMORY_REGION(image, bytes);
  if (!store_image(result, image, bytes))
    emulated::fail(emulated::CANNOT_RUN, "the result cannot be written");
  return 0;
}
