#include "CChecksums.h"

#include <string.h>

// One CRC instruction processes eight bytes in three cycles, and a new one can start every cycle.
// A single chain of instructions therefore uses a third of the processor. So a long input is cut
// into triples of equal runs. The chains of a triple advance side by side, and are joined at its
// end. To join them, the register before a run of n bytes is multiplied by x^(8 n). The
// multiplication moves the register past the run.

#if defined(__x86_64__)
#include <immintrin.h>

#define CRC_TARGET __attribute__((target("sse4.2")))
#define JOIN_TARGET __attribute__((target("sse4.2,pclmul")))

bool quire_crc32c_is_accelerated(void) { return __builtin_cpu_supports("sse4.2"); }

bool quire_crc32c_joins_streams(void) {
  return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul");
}

CRC_TARGET static inline uint32_t step8(uint32_t crc, uint64_t word) {
  return (uint32_t)_mm_crc32_u64(crc, word);
}

CRC_TARGET static inline uint32_t step1(uint32_t crc, uint8_t byte) {
  return _mm_crc32_u8(crc, byte);
}

JOIN_TARGET static inline uint64_t multiply(uint32_t a, uint32_t b) {
  return (uint64_t)_mm_cvtsi128_si64(
      _mm_clmulepi64_si128(_mm_cvtsi64_si128(a), _mm_cvtsi64_si128(b), 0));
}

#elif defined(__aarch64__) && defined(__AARCH64EL__)
#include <arm_acle.h>
#include <arm_neon.h>
#if defined(__linux__)
#include <sys/auxv.h>
#endif

#define CRC_TARGET __attribute__((target("crc")))
#define JOIN_TARGET __attribute__((target("crc,aes")))

#if defined(__linux__)
// The bits of AT_HWCAP that the kernel documents for this architecture.
enum { capability_pmull = 1 << 4, capability_crc32 = 1 << 7 };

bool quire_crc32c_is_accelerated(void) { return (getauxval(AT_HWCAP) & capability_crc32) != 0; }

bool quire_crc32c_joins_streams(void) {
  return quire_crc32c_is_accelerated() && (getauxval(AT_HWCAP) & capability_pmull) != 0;
}
#else
// Other systems offer no query, so assume only the features of the compiler's target.
bool quire_crc32c_is_accelerated(void) {
#if defined(__ARM_FEATURE_CRC32)
  return true;
#else
  return false;
#endif
}

bool quire_crc32c_joins_streams(void) {
#if defined(__ARM_FEATURE_AES)
  return quire_crc32c_is_accelerated();
#else
  return false;
#endif
}
#endif

CRC_TARGET static inline uint32_t step8(uint32_t crc, uint64_t word) {
  return __crc32cd(crc, word);
}

CRC_TARGET static inline uint32_t step1(uint32_t crc, uint8_t byte) { return __crc32cb(crc, byte); }

JOIN_TARGET static inline uint64_t multiply(uint32_t a, uint32_t b) {
  return (uint64_t)vmull_p64((poly64_t)a, (poly64_t)b);
}

#else
#define NO_ACCELERATION 1
#endif

#if defined(NO_ACCELERATION)

bool quire_crc32c_is_accelerated(void) { return false; }
bool quire_crc32c_joins_streams(void) { return false; }

uint32_t quire_crc32c_one_stream(uint32_t crc, const void *bytes, size_t count) {
  __builtin_trap();
}

uint32_t quire_crc32c_three_streams(uint32_t crc, const void *bytes, size_t count) {
  __builtin_trap();
}

#else

static inline uint64_t word_at(const uint8_t *bytes) {
  uint64_t word;
  memcpy(&word, bytes, sizeof word);
  return word;
}

CRC_TARGET uint32_t quire_crc32c_one_stream(uint32_t crc, const void *bytes, size_t count) {
  const uint8_t *next = bytes;
  for (; count >= 8; next += 8, count -= 8) crc = step8(crc, word_at(next));
  for (; count > 0; next += 1, count -= 1) crc = step1(crc, *next);
  return crc;
}

// Moves a register past a run of n bytes. `factor` is x^(8 n - 33) modulo the CRC's polynomial,
// with reflected bits. The 33 is 1 + 32: the product of two reflected registers is one place lower
// than a reflected 64-bit word, and the CRC instruction itself multiplies by x^32.
JOIN_TARGET static inline uint32_t moved(uint32_t crc, uint32_t factor) {
  return step8(0, multiply(crc, factor));
}

JOIN_TARGET static inline uint32_t triple(
    uint32_t crc, const uint8_t *bytes, size_t run, uint32_t over_one, uint32_t over_two) {
  uint32_t first = crc, second = 0, third = 0;
  for (size_t offset = 0; offset < run; offset += 8) {
    first = step8(first, word_at(bytes + offset));
    second = step8(second, word_at(bytes + run + offset));
    third = step8(third, word_at(bytes + 2 * run + offset));
  }
  return moved(first, over_two) ^ moved(second, over_one) ^ third;
}

JOIN_TARGET uint32_t quire_crc32c_three_streams(uint32_t crc, const void *bytes, size_t count) {
  enum { long_run = 4096, short_run = 256 };
  const uint8_t *next = bytes;
  for (; count >= 3 * long_run; next += 3 * long_run, count -= 3 * long_run)
    crc = triple(crc, next, long_run, 0x82f89c77u, 0x54a86326u);
  for (; count >= 3 * short_run; next += 3 * short_run, count -= 3 * short_run)
    crc = triple(crc, next, short_run, 0xb9e02b86u, 0xdd7e3b0cu);
  return quire_crc32c_one_stream(crc, next, count);
}

#endif
