// A constructor of the library crashes.
#include <stdlib.h>
#include "sound.h"
__attribute__((constructor)) static void crash(void) { abort(); }
PLUGIN()
