// The type has more capabilities than its manifest lists.
#include "sound.h"
PLUGIN(type.capabilities |= QUIRE_SHARED)
