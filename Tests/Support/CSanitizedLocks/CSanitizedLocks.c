// What the thread sanitizer has to be told of Swift's mutexes.
//
// The quick way of `Synchronization.Mutex`, when nobody waits, is compiled into whoever uses it, and the
// sanitizer sees its atomic operations. The slow way lies in the library, which was built without the
// sanitizer: who had to wait seems to have taken no lock, and everything that the mutex guards looks like a
// race. The three functions of the slow way are linked here in place of the library's, call those, and say
// what they did.
//
// Linked into the tests only when they run under the thread sanitizer (`QUIRE_SANITIZER=thread`). A toolchain
// that has no such functions stops the tests with a sentence, and one that does not call them is noticed by
// the reports that come back.

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
