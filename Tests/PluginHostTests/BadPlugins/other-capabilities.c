// The type can do more than the manifest says.
#include "sound.h"
PLUGIN(type.capabilities |= QUIRE_SHARED)
