#ifndef CPROCESSOR_H
#define CPROCESSOR_H

#include <pthread.h>
#include <stdint.h>

/// Prefetches the memory at an address into the processor's cache, without waiting. The address may be
/// invalid.
static inline void quire_prefetch(const void *address) { __builtin_prefetch(address); }

/// Returns a number that identifies the calling thread among the running threads. On Linux on x86-64 and
/// ARM64 the number is read from a register; on other systems a library is called.
static inline uintptr_t quire_thread(void) {
#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
  return (uintptr_t)__builtin_thread_pointer();
#else
  return (uintptr_t)pthread_self();
#endif
}

#endif
