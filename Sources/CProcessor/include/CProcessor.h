#ifndef CPROCESSOR_H
#define CPROCESSOR_H

#include <pthread.h>
#include <stdint.h>

/// Asks the processor to bring near what lies at an address, and waits for nothing. Any address will do, also one
/// where nothing lies.
static inline void quire_prefetch(const void *address) { __builtin_prefetch(address); }

/// A number of the thread that asks, which no other has at the same time. Where the processor knows it that is one step,
/// and a call into a library everywhere else.
static inline uintptr_t quire_thread(void) {
#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
  return (uintptr_t)__builtin_thread_pointer();
#else
  return (uintptr_t)pthread_self();
#endif
}

#endif
