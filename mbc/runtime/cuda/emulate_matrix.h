// The matrix unit and copies in the background, for the emulation.
//
// A copy arrives as late as it may: when its thread waits for its group. What the unit
// adds up it rounds towards zero, as the hardware does.
#pragma once
#include "emulate.h"

namespace emulated {

enum { MOST_COPIES = 1024, SLOT_BYTES = 32 };

struct Copy {
  void *to;
  const void *from;
  int bytes, group;
};
struct Copies {
  Copy open[MOST_COPIES];
  int count, group;
  unsigned long block;
};
static Copies copies[MOST_THREADS];
static char slots[MOST_THREADS / WARP][2][WARP][SLOT_BYTES];

static int linear_thread() { return now->warp * WARP + now->lane; }

// The copies of this thread of this block.
static Copies &own_copies() {
  Copies &mine = copies[linear_thread()];
  if (mine.block != blocks_started) mine.count = mine.group = 0;
  mine.block = blocks_started;
  return mine;
}

// What each lane of the warp gives, by lane. Slots take turns, so that a lane that goes
// on to its next exchange overwrites nothing that another one still reads.
template <class T>
static const T &of_lane(int parity, int lane) {
  return *(const T *)slots[now->warp][parity][lane];
}
template <class T>
static int exchange(const T &mine) {
  static_assert(sizeof(T) <= SLOT_BYTES, "too much for a slot");
  static int parities[MOST_THREADS];
  const int parity = parities[linear_thread()] ^= 1;
  memcpy(slots[now->warp][parity][now->lane], &mine, sizeof mine);
  shuffle(0xffffffff, 0, 0);
  for (int lane = 0; lane < WARP; ++lane)
    if (taken[now->warp][lane] == ~(uint64_t)0)
      fail(UNSUPPORTED, "the matrix unit without all lanes of a warp");
  return parity;
}

static float towards_zero(double x) {
  const float nearest = (float)x;
  return fabs((double)nearest) > fabs(x) ? nextafterf(nearest, 0.0f) : nearest;
}

static float tf32(unsigned bits) {
  bits &= 0xffffe000u;
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

}  // namespace emulated

struct mbc_fragments {
  unsigned a[4], b[2];
};

static void mbc_tf32_matrix_unit(float (&sum)[4], const unsigned (&a)[4],
                                 const unsigned (&b)[2]) {
  using namespace emulated;
  const mbc_fragments mine = {{a[0], a[1], a[2], a[3]}, {b[0], b[1]}};
  const int parity = exchange(mine);
  for (int r = 0; r < 4; ++r) {
    const int row = now->lane / 4, column = now->lane % 4 * 2 + r % 2;
    double total = sum[r];
    for (int k = 0; k < 8; ++k) {
      const unsigned x = of_lane<mbc_fragments>(parity, row * 4 + k % 4).a[r / 2 + k / 4 * 2];
      const unsigned y = of_lane<mbc_fragments>(parity, column * 4 + k % 4).b[k / 4];
      total += (double)tf32(x) * (double)tf32(y);
    }
    sum[r] = towards_zero(total);
  }
}

static float short_float(unsigned bits, bool is_f16) {
  const uint16_t half = (uint16_t)bits;
  return is_f16 ? __half2float(__half{half}) : __bfloat162float(__nv_bfloat16{half});
}
static void short_matrix_unit(float (&sum)[4], const unsigned (&a)[4],
                              const unsigned (&b)[2], bool is_f16) {
  using namespace emulated;
  const mbc_fragments mine = {{a[0], a[1], a[2], a[3]}, {b[0], b[1]}};
  const int parity = exchange(mine);
  for (int r = 0; r < 4; ++r) {
    const int row = now->lane / 4, column = now->lane % 4 * 2 + r % 2;
    double total = sum[r];
    for (int k = 0; k < 16; ++k) {
      const int word = k % 8 / 2, shift = k % 2 * 16;
      const unsigned x = of_lane<mbc_fragments>(parity, row * 4 + word).a[r / 2 + k / 8 * 2];
      const unsigned y = of_lane<mbc_fragments>(parity, column * 4 + word).b[k / 8];
      total += (double)short_float(x >> shift, is_f16) * (double)short_float(y >> shift, is_f16);
    }
    sum[r] = towards_zero(total);
  }
}
static void mbc_f16_matrix_unit(float (&sum)[4], const unsigned (&a)[4],
                                const unsigned (&b)[2]) {
  short_matrix_unit(sum, a, b, true);
}
static void mbc_bf16_matrix_unit(float (&sum)[4], const unsigned (&a)[4],
                                 const unsigned (&b)[2]) {
  short_matrix_unit(sum, a, b, false);
}

template <int BYTES>
static void mbc_copy_async(void *to, const void *from, bool exists) {
  using namespace emulated;
  if (BYTES == 2) {
    *(uint16_t *)to = exists ? *(const uint16_t *)from : 0;
    return;
  }
  static_assert(BYTES == 2 || BYTES == 4 || BYTES == 8 || BYTES == 16, "no such copy");
  Copies &mine = own_copies();
  if ((uintptr_t)to % BYTES || (uintptr_t)from % BYTES)
    fail(UNSUPPORTED, "a copy of misaligned bytes");
  if (mine.count == MOST_COPIES) fail(UNSUPPORTED, "over 1024 copies of a thread wait");
  mine.open[mine.count++] = {to, exists ? from : nullptr, BYTES, mine.group};
}

static void mbc_close_copies() { ++emulated::own_copies().group; }

template <int OPEN>
static void mbc_await_copies() {
  using namespace emulated;
  Copies &mine = own_copies();
  int kept = 0;
  for (int i = 0; i < mine.count; ++i) {
    const Copy copy = mine.open[i];
    if (copy.group >= mine.group - OPEN) {
      mine.open[kept++] = copy;
    } else if (copy.from) {
      memcpy(copy.to, copy.from, copy.bytes);
    } else {
      memset(copy.to, 0, copy.bytes);
    }
  }
  mine.count = kept;
}
