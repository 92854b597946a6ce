#ifndef CCHECKSUMS_H
#define CCHECKSUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// CRC-32C by the processor's own instruction, on processors that have the instruction.

/// Whether this processor computes CRC-32C in hardware.
bool quire_crc32c_is_accelerated(void);

/// Continues the register `crc` over `count` bytes, in one stream.
///
/// The register is the value before the final inversion. Call this function only if
/// `quire_crc32c_is_accelerated` returns true. A processor without the instruction stops the program.
uint32_t quire_crc32c_one_stream(uint32_t crc, const void *bytes, size_t count);

/// Whether this processor also multiplies polynomials. Several streams can't be joined without that.
bool quire_crc32c_joins_streams(void);

/// Continues the register as `quire_crc32c_one_stream` does, in three streams through long inputs.
///
/// Call this function only if `quire_crc32c_joins_streams` returns true.
uint32_t quire_crc32c_three_streams(uint32_t crc, const void *bytes, size_t count);

#endif
