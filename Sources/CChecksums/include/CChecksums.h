#ifndef CCHECKSUMS_H
#define CCHECKSUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// CRC-32C with the processor's own instruction, where it has one.

/// Whether this processor computes CRC-32C in hardware.
bool quire_crc32c_is_accelerated(void);

/// Continues the register `crc` over `count` bytes, one after the other.
///
/// The register is the value before the final inversion. Call only on processors that
/// `quire_crc32c_is_accelerated` says yes to; elsewhere the instruction is illegal.
uint32_t quire_crc32c_one_stream(uint32_t crc, const void *bytes, size_t count);

/// Whether this processor also multiplies polynomials, which joining several streams needs.
bool quire_crc32c_joins_streams(void);

/// As `quire_crc32c_one_stream`, with three streams at a time through long inputs.
///
/// Call only on processors that `quire_crc32c_joins_streams` says yes to.
uint32_t quire_crc32c_three_streams(uint32_t crc, const void *bytes, size_t count);

#endif
