// The plug-in refuses to start.
#include "sound.h"
static int32_t start(const struct QuireHost *host, struct QuireError *error) {
  (void)host;
  refuse(error);
  error->message = "The engine is cold.";
  return QUIRE_FAILED;
}
PLUGIN(table.start = start)
