// Compares codecs over the compressed blocks and values of stores (docs/decisions/0030). Needs libdeflate-dev and libzstd-dev:
//
//     cc -O2 Benchmarks/codecs.c -o .build/codecs -lz -ldeflate -lzstd && .build/codecs 9 people.store
//
// The arguments are the number of rounds and block files of the type CompressedBinary. Every round runs each codec once
// over all units. Times are of the processor, so other programs disturb them little.
#include <libdeflate.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zlib.h>
#include <zstd.h>

typedef enum { usesZlib, usesLibdeflate, usesZstd } Library;
static const struct { const char *name; Library library; int level; } codecs[] = {
  {"zlib 1", usesZlib, 1}, {"zlib 6", usesZlib, 6},
  {"libdeflate 1", usesLibdeflate, 1}, {"libdeflate 2", usesLibdeflate, 2}, {"libdeflate 6", usesLibdeflate, 6},
  {"zstd 1", usesZstd, 1}, {"zstd 2", usesZstd, 2}, {"zstd 3", usesZstd, 3}, {"zstd 4", usesZstd, 4},
  {"zstd 5", usesZstd, 5}, {"zstd 6", usesZstd, 6},
};
enum { codecCount = sizeof codecs / sizeof *codecs };

// The bytes that a store compresses at once: a block or a value outside its block.
typedef struct { uint8_t *bytes; size_t count; } Unit;
static Unit *units;
static size_t unitCount, byteCount, largest = 1 << 24;

static void check(int isTrue, const char *what) {
  if (isTrue) return;
  fprintf(stderr, "error: %s\n", what);
  exit(1);
}

// Adds each part of a file that zlib's format can be: sections begin at multiples of 8, and a checksum ends them.
static void readUnits(const char *path) {
  FILE *file = fopen(path, "rb");
  check(file != NULL && fseek(file, 0, SEEK_END) == 0, path);
  size_t size = (size_t)ftell(file);
  uint8_t *bytes = malloc(size), *memory = malloc(largest);
  rewind(file);
  check(fread(bytes, 1, size, file) == size, path);
  fclose(file);
  for (size_t at = 64; at + 8 <= size; at += 8) {
    if (bytes[at] != 0x78 || (bytes[at] * 256 + bytes[at + 1]) % 31 != 0) continue;
    uLongf count = largest;
    uLong taken = size - at;
    if (uncompress2(memory, &count, bytes + at, &taken) != Z_OK || count < 1024) continue;
    units = realloc(units, ++unitCount * sizeof *units);
    units[unitCount - 1] = (Unit){memcpy(malloc(count), memory, count), count};
    byteCount += count;
    at += (taken + 7) / 8 * 8 - 8;
  }
  free(memory), free(bytes);
}

// The state of each codec is made for each unit, as Deflate.compress does.
static size_t compressed(int codec, Unit unit, uint8_t *target, size_t capacity) {
  int level = codecs[codec].level;
  size_t written = 0;
  if (codecs[codec].library == usesZlib) {
    uLongf count = capacity;
    if (compress2(target, &count, unit.bytes, unit.count, level) == Z_OK) written = count;
  } else if (codecs[codec].library == usesLibdeflate) {
    struct libdeflate_compressor *state = libdeflate_alloc_compressor(level);
    written = libdeflate_zlib_compress(state, unit.bytes, unit.count, target, capacity);
    libdeflate_free_compressor(state);
  } else {
    size_t count = ZSTD_compress(target, capacity, unit.bytes, unit.count, level);
    if (!ZSTD_isError(count)) written = count;
  }
  check(written > 0, codecs[codec].name);
  return written;
}

static void expand(int codec, const uint8_t *small, size_t smallCount, Unit unit, uint8_t *target) {
  size_t written = 0;
  if (codecs[codec].library == usesZlib) {
    uLongf count = unit.count;
    uLong taken = smallCount;
    if (uncompress2(target, &count, small, &taken) == Z_OK) written = count;
  } else if (codecs[codec].library == usesLibdeflate) {
    struct libdeflate_decompressor *state = libdeflate_alloc_decompressor();
    libdeflate_zlib_decompress(state, small, smallCount, target, unit.count, &written);
    libdeflate_free_decompressor(state);
  } else {
    written = ZSTD_decompress(target, unit.count, small, smallCount);
  }
  check(written == unit.count, codecs[codec].name);
}

static double seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int ascending(const void *one, const void *other) {
  double left = *(const double *)one, right = *(const double *)other;
  return (left > right) - (left < right);
}

// Prints the median, and the times of which a tenth is lower and a tenth is higher.
static void print(double *values, size_t count, double scale) {
  qsort(values, count, sizeof *values, ascending);
  printf(" | %9.2f (%.2f to %.2f)", values[count / 2] * scale, values[count / 10] * scale,
         values[count * 9 / 10] * scale);
}

int main(int count, char **arguments) {
  check(count > 2 && atoi(arguments[1]) > 0, "Give the number of rounds, and compressed stores.");
  size_t rounds = (size_t)atoi(arguments[1]);
  for (int index = 2; index < count; index++) readUnits(arguments[index]);
  check(unitCount > 0, "The files contain nothing compressed.");
  size_t capacity = 2 * largest, sizes[codecCount] = {0};
  uint8_t *small = malloc(capacity), *target = malloc(largest);
  double *compressing[codecCount], *expanding[codecCount], *single[codecCount];
  for (int codec = 0; codec < codecCount; codec++) {
    compressing[codec] = calloc(rounds, sizeof(double)), expanding[codec] = calloc(rounds, sizeof(double));
    single[codec] = calloc(rounds * unitCount, sizeof(double));
  }
  for (size_t round = 0; round < rounds; round++)
    for (int codec = 0; codec < codecCount; codec++)
      for (size_t index = sizes[codec] = 0; index < unitCount; index++) {
        double start = seconds();
        size_t written = compressed(codec, units[index], small, capacity);
        double middle = seconds();
        expand(codec, small, written, units[index], target);
        double end = seconds();
        check(memcmp(target, units[index].bytes, units[index].count) == 0, codecs[codec].name);
        sizes[codec] += written;
        compressing[codec][round] += middle - start, expanding[codec][round] += end - middle;
        single[codec][round * unitCount + index] = end - middle;
      }
  printf("%zu units, %zu bytes\n", unitCount, byteCount);
  printf("codec        |     bytes | compress all, ms | expand all, ms | expand one unit, µs\n");
  for (int codec = 0; codec < codecCount; codec++) {
    printf("%-12s | %9zu", codecs[codec].name, sizes[codec]);
    print(compressing[codec], rounds, 1e3), print(expanding[codec], rounds, 1e3);
    print(single[codec], rounds * unitCount, 1e6);
    printf("\n");
  }
}
