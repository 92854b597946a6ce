#include "CFuzzer.h"

// The library of libFuzzer has a `main` of its own, which calls this function. No fuzzer uses that `main`. But SwiftPM gives the
// `main` of a debug build another name until the end of the linking, so the linker takes the library's in the meantime.
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
  (void)bytes, (void)count;
  return 0;
}
