// Tells the thread sanitizer about the locks of Swift's mutexes.
//
// `Synchronization.Mutex` has a fast path, for locks without waiting threads. The compiler inlines this path,
// so the sanitizer sees its atomic operations. The slow path lies in the library, which was built without the
// sanitizer. For the sanitizer, a thread that had to wait seems to hold no lock, and each access to the
// guarded values looks like a race. The three functions of the slow path are linked here in place of the
// library's functions. They call the library's functions, and report the effect to the sanitizer.
//
// This file is linked into the tests only if they run under the thread sanitizer (`QUIRE_SANITIZER=thread`).
// If a toolchain lacks these functions, the tests stop with a sentence. If a toolchain does not call them,
// the sanitizer reports races again.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void __tsan_acquire(void *address);
void __tsan_release(void *address);

#define swiftcall __attribute__((swiftcall))
#define self_argument __attribute__((swift_context)) void *

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

static void *library(const char *name) {
  void *found = dlsym(RTLD_NEXT, name);
  if (!found) {
    fprintf(stderr, "Swift's mutex has no %s any more: see Tests/Support/CSanitizedLocks.\n", name);
    abort();
  }
  return found;
}

swiftcall void quire_lock_slow(uint32_t thread, self_argument handle) __asm__(LOCK);
swiftcall void quire_lock_slow(uint32_t thread, self_argument handle) {
  ((swiftcall void (*)(uint32_t, self_argument))library(LOCK))(thread, handle);
  __tsan_acquire(handle);
}

swiftcall bool quire_try_lock_slow(self_argument handle) __asm__(TRY_LOCK);
swiftcall bool quire_try_lock_slow(self_argument handle) {
  bool locked = ((swiftcall bool (*)(self_argument))library(TRY_LOCK))(handle);
  if (locked) __tsan_acquire(handle);
  return locked;
}

swiftcall void quire_unlock_slow(self_argument handle) __asm__(UNLOCK);
swiftcall void quire_unlock_slow(self_argument handle) {
  __tsan_release(handle);
  ((swiftcall void (*)(self_argument))library(UNLOCK))(handle);
}
