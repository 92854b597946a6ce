// A constructor of the library never returns.
#include <unistd.h>
#include "sound.h"
__attribute__((constructor)) static void hang(void) {
  for (;;) pause();
}
PLUGIN()
