#ifndef QUIRE_CFUZZER_H
#define QUIRE_CFUZZER_H

#include <stddef.h>
#include <stdint.h>

// libFuzzer's entry point, for programs with their own `main`. Every Swift executable has its own.
int LLVMFuzzerRunDriver(
    int *argc, char ***argv, int (*callback)(const uint8_t *bytes, size_t count));

#endif
