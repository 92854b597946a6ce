// The type has more capabilities than the manifest states.
#include "sound.h"
PLUGIN(type.capabilities |= QUIRE_SHARED)
