#ifndef QUIRE_CFUZZER_H
#define QUIRE_CFUZZER_H

#include <stddef.h>
#include <stdint.h>

// libFuzzer's own entry, for programs that bring their own `main`, as every Swift executable does.
int LLVMFuzzerRunDriver(
    int *argc, char ***argv, int (*callback)(const uint8_t *bytes, size_t count));

#endif
