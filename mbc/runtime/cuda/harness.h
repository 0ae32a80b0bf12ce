// Runs one job of a program: `program job.bin result.bin`.
//
// job.bin is `Job` followed by the buffers, outputs already poisoned; result.bin is the
// same bytes after the run. The fences around buffers are out of bounds to kernels.
#pragma once

struct Job {
  uint64_t magic, image_bytes, arena_bytes, warm_calls, buffers;
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

extern "C" const char *__asan_default_options() { return "detect_leaks=0"; }

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

static bool store_image(const char *path, const char *image, size_t bytes) {
  FILE *file = fopen(path, "wb");
  if (!file) return false;
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
  memset(arena, 0xff, job->arena_bytes);
  const uint64_t own = job->buffers;
  char **buffers = (char **)calloc(own + 1, sizeof *buffers);
  for (uint64_t k = 0; k < own; ++k) buffers[k] = image + job->offset[k];
  ASAN_POISON_MEMORY_REGION(image, bytes);
  for (uint64_t k = 0; k < own; ++k)
    ASAN_UNPOISON_MEMORY_REGION(buffers[k], buffer_bytes[k]);
  mbc_run(buffers, (char *)arena);
  ASAN_UNPOISON_MEMORY_REGION(image, bytes);
  if (!store_image(arguments[2], image, bytes))
    emulated::fail(emulated::CANNOT_RUN, "the result cannot be written");
  return 0;
}
