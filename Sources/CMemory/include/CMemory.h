#ifndef CMEMORY_H
#define CMEMORY_H

/// Asks the processor to bring near what lies at an address, and waits for nothing. Any address will do, also one
/// where nothing lies.
static inline void quire_prefetch(const void *address) { __builtin_prefetch(address); }

#endif
