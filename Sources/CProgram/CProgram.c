#include "CProgram.h"

#include <stdlib.h>

static char **program_arguments;
static int argument_count;

#ifdef __GLIBC__
// Only glibc passes the arguments of `main` to the functions that run before it.
__attribute__((constructor)) static void keep_arguments(int count, char **arguments) {
  argument_count = count;
  program_arguments = arguments;
}
#endif

char **quire_program_arguments(int *count) {
  *count = argument_count;
  return program_arguments;
}
