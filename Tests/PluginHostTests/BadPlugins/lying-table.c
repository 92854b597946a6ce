// The table claims its full size, but the memory after status can't be read.
#define _DEFAULT_SOURCE
#include <string.h>
#include <sys/mman.h>
#include "sound.h"
const struct QuirePlugin *quire_store_plugin(uint32_t host_abi_version) {
  (void)host_abi_version;
  size_t size = 65536, count = offsetof(struct QuirePlugin, commits);
  char *pages = mmap(NULL, 2 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED || mprotect(pages + size, size, PROT_NONE)) return NULL;
  return memcpy(pages + size - count, &table, count);
}
