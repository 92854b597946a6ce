// The library returns no table.
#include "sound.h"
const struct QuirePlugin *quire_store_plugin(uint32_t host_abi_version) {
  (void)host_abi_version;
  return NULL;
}
