// The type has a history, and nothing to read it with.
#include "sound.h"
PLUGIN(type.capabilities |= QUIRE_HISTORY)
