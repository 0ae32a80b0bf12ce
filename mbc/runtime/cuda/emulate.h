// Runs the SIMT subset of CUDA C++ on a CPU, to check what kernels compute.
//
// Blocks run one after the other. Each thread of a block is a fiber; fibers run in
// shuffled order up to their next barrier or shuffle, so that a missing barrier shows.
// Shared memory is poisoned at the start of each block; values shuffled from lanes that
// do not take part are NaN.
#pragma once
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#if __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#else
#define ASAN_POISON_MEMORY_REGION(start, bytes) ((void)(start), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(start, bytes) ((void)(start), (void)(bytes))
#endif

#define MBC_EMULATED
#define __global__
#define __device__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __shared__ static __attribute__((section("mbc_shared")))
extern char shared_begin[] __asm__("__start_mbc_shared") __attribute__((weak));
extern char shared_end[] __asm__("__stop_mbc_shared") __attribute__((weak));

// Of integers, as every CUDA program has them.
template <class T>
T min(T a, T b) {
  return b < a ? b : a;
}
template <class T>
T max(T a, T b) {
  return a < b ? b : a;
}

namespace emulated {

struct Index {
  unsigned x, y, z;
};

enum State { READY, AT_BARRIER, AT_SHUFFLE, DONE };
enum { WARP = 32, MOST_THREADS = 1024, STACK_BYTES = 256 << 10 };
enum Exit { CANNOT_RUN = 71, DEADLOCK = 81, UNSUPPORTED = 82 };

struct Fiber {
  ucontext_t context;
  Index thread;
  State state;
  int warp, lane;
};

static Fiber fibers[MOST_THREADS];
static Fiber *now;
static ucontext_t scheduler;
static uint64_t offered[WARP][WARP], taken[WARP][WARP];  // by warp and lane
static void (*body)(void *);
static void *body_data;
static char *stacks;
static const void *main_stack;
static size_t main_stack_bytes;

[[noreturn]] static void fail(Exit code, const char *message) {
  fprintf(stderr, "emulation: %s\n", message);
  exit(code);
}

static void leave_fiber(State state) {
  now->state = state;
#if __SANITIZE_ADDRESS__
  void *fake = nullptr;
  __sanitizer_start_switch_fiber(state == DONE ? nullptr : &fake, main_stack,
                                 main_stack_bytes);
#endif
  swapcontext(&now->context, &scheduler);
#if __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
#endif
}

static void enter_fiber(Fiber *fiber) {
  now = fiber;
#if __SANITIZE_ADDRESS__
  void *fake = nullptr;
  __sanitizer_start_switch_fiber(&fake, fiber->context.uc_stack.ss_sp, STACK_BYTES);
#endif
  swapcontext(&scheduler, &fiber->context);
#if __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
#endif
}

static void fiber_main() {
#if __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber(nullptr, &main_stack, &main_stack_bytes);
#endif
  body(body_data);
  leave_fiber(DONE);
}

static void start_fibers(Index block, int count) {
  if (count > MOST_THREADS) fail(UNSUPPORTED, "a block has over 1024 threads");
  if (!stacks) {
    void *got = mmap(nullptr, (size_t)MOST_THREADS * STACK_BYTES, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (got == MAP_FAILED) fail(CANNOT_RUN, "no memory for stacks");
    stacks = (char *)got;
  }
  for (int t = 0; t < count; ++t) {
    Fiber &f = fibers[t];
    getcontext(&f.context);
    f.context.uc_stack.ss_sp = stacks + (size_t)t * STACK_BYTES;
    f.context.uc_stack.ss_size = STACK_BYTES;
    f.context.uc_link = nullptr;
    makecontext(&f.context, fiber_main, 0);
    const unsigned x = t % block.x, y = t / block.x % block.y;
    f.thread = {x, y, t / block.x / block.y};
    f.state = READY;
    f.warp = t / WARP, f.lane = t % WARP;
  }
}

// Lets all live fibers of [first, last) go on if every one of them waits in `state`.
static bool release(State state, int first, int last) {
  bool some = false;
  for (int t = first; t < last; ++t) {
    if (fibers[t].state == DONE) continue;
    if (fibers[t].state != state) return false;
    some = true;
  }
  for (int t = first; t < last; ++t)
    if (fibers[t].state == state) fibers[t].state = READY;
  return some;
}

static bool release_warp(int first, int last) {
  uint64_t(&values)[WARP] = offered[first / WARP];
  const bool released = release(AT_SHUFFLE, first, last);
  if (!released) return false;
  for (int lane = 0; lane < WARP; ++lane) {
    const bool takes_part = first + lane < last && fibers[first + lane].state == READY;
    taken[first / WARP][lane] = takes_part ? values[lane] : ~(uint64_t)0;
  }
  return true;
}

static unsigned random_number() {
  static uint32_t state = 0x2545f491;
  state ^= state << 13, state ^= state >> 17, state ^= state << 5;
  return state;
}

static bool run_ready(int count) {
  static int order[MOST_THREADS];
  for (int t = 0; t < count; ++t) {
    const int other = random_number() % (t + 1);
    order[t] = order[other], order[other] = t;
  }
  bool ran = false;
  for (int t = 0; t < count; ++t) {
    if (fibers[order[t]].state != READY) continue;
    enter_fiber(&fibers[order[t]]);
    ran = true;
  }
  return ran;
}

static int poison;
static unsigned long blocks_started;

static void run_block(Index block) {
  ++blocks_started;
  const int count = block.x * block.y * block.z;
  if (shared_begin) memset(shared_begin, poison, shared_end - shared_begin);
  start_fibers(block, count);
  while (run_ready(count)) {
    bool released = release(AT_BARRIER, 0, count);
    for (int first = 0; first < count; first += WARP)
      released |= release_warp(first, first + WARP < count ? first + WARP : count);
    if (released) continue;
    for (int t = 0; t < count; ++t)
      if (fibers[t].state != DONE)
        fail(DEADLOCK, "threads of a block wait at different barriers");
    return;
  }
}

template <class T>
static T shuffle(unsigned mask, T value, unsigned source) {
  if (mask != 0xffffffff) fail(UNSUPPORTED, "shuffles of part of a warp");
  memcpy(&offered[now->warp][now->lane], &value, sizeof value);
  leave_fiber(AT_SHUFFLE);
  memcpy(&value, &taken[now->warp][source % WARP], sizeof value);
  return value;
}

}  // namespace emulated

static emulated::Index blockIdx, blockDim, gridDim;
#define threadIdx (emulated::now->thread)

template <class Kernel>
static void mbc_launch(emulated::Index grid, emulated::Index block, Kernel kernel) {
  if (grid.y > 65535 || grid.z > 65535)
    emulated::fail(emulated::UNSUPPORTED, "a grid has over 65535 blocks along y or z");
  emulated::body = [](void *data) { (*(Kernel *)data)(); };
  emulated::body_data = &kernel;
  gridDim = grid, blockDim = block;
  for (unsigned z = 0; z < grid.z; ++z)
    for (unsigned y = 0; y < grid.y; ++y)
      for (unsigned x = 0; x < grid.x; ++x) {
        blockIdx = {x, y, z};
        emulated::run_block(block);
      }
}

static inline void __syncthreads() { emulated::leave_fiber(emulated::AT_BARRIER); }
static inline void __syncwarp(unsigned mask = 0xffffffff) {
  emulated::shuffle(mask, 0, 0);
}
template <class T>
static T __shfl_sync(unsigned mask, T value, int lane) {
  return emulated::shuffle(mask, value, lane);
}
template <class T>
static T __shfl_xor_sync(unsigned mask, T value, int offset) {
  return emulated::shuffle(mask, value, emulated::now->lane ^ offset);
}
template <class T>
static T __shfl_up_sync(unsigned mask, T value, int offset) {
  const int lane = emulated::now->lane;
  return emulated::shuffle(mask, value, lane >= offset ? lane - offset : lane);
}
template <class T>
static T __shfl_down_sync(unsigned mask, T value, int offset) {
  const int lane = emulated::now->lane;
  return emulated::shuffle(mask, value, lane + offset < 32 ? lane + offset : lane);
}

struct __align__(8) float2 {
  float x, y;
};
struct __align__(16) float4 {
  float x, y, z, w;
};
struct __align__(16) uint4 {
  unsigned x, y, z, w;
};
static inline float2 make_float2(float x, float y) { return {x, y}; }
static inline float4 make_float4(float x, float y, float z, float w) {
  return {x, y, z, w};
}

template <class To, class From>
static To mbc_same_bits(From from) {
  static_assert(sizeof(To) == sizeof(From), "sizes differ");
  To to;
  memcpy(&to, &from, sizeof to);
  return to;
}
static inline float __int_as_float(int x) { return mbc_same_bits<float>(x); }
static inline int __float_as_int(float x) { return mbc_same_bits<int>(x); }
static inline double __longlong_as_double(long long x) { return mbc_same_bits<double>(x); }
static inline long long __double_as_longlong(double x) {
  return mbc_same_bits<long long>(x);
}
static inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }

struct __half {
  uint16_t bits;
};
struct __nv_bfloat16 {
  uint16_t bits;
};
static inline float __bfloat162float(__nv_bfloat16 x) {
  return mbc_same_bits<float>((uint32_t)x.bits << 16);
}
static inline __nv_bfloat16 __float2bfloat16_rn(float x) {
  const uint32_t bits = mbc_same_bits<uint32_t>(x);
  if (x != x) return {0x7fff};
  return {(uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16)};
}
static inline float __half2float(__half x) {
  const int exponent = x.bits >> 10 & 31, fraction = x.bits & 1023;
  float magnitude = ldexpf((float)(fraction | 1024), exponent - 25);
  if (exponent == 0) magnitude = ldexpf((float)fraction, -24);
  if (exponent == 31) magnitude = fraction ? NAN : INFINITY;
  return x.bits >> 15 ? -magnitude : magnitude;
}
static inline __half __float2half_rn(float x) {
  const uint16_t sign = signbit(x) ? 0x8000 : 0;
  const float magnitude = fabsf(x);
  if (x != x) return {0x7fff};
  if (magnitude >= 65520.0f) return {(uint16_t)(sign | 0x7c00)};
  // Adding and removing a power of two rounds to the unit of the last place.
  int exponent = ilogbf(magnitude > 0x1p-14f ? magnitude : 0x1p-14f);
  const int units = (int)rintf(ldexpf(magnitude, 10 - exponent));
  return {(uint16_t)(sign | (units + ((exponent + 14) << 10)))};
}
