// The function that returns the table reads memory that does not exist.
#include "sound.h"
#define quire_store_plugin sound_entry
PLUGIN()
#undef quire_store_plugin
__attribute__((visibility("default"))) const struct QuirePlugin *quire_store_plugin(uint32_t version) {
  volatile uint32_t *nowhere = (volatile uint32_t *)8;
  return sound_entry(version + *nowhere);
}
