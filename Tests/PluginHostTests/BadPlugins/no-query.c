// The type answers requests, and nobody can ask.
#include "sound.h"
PLUGIN(type.capabilities |= QUIRE_QUERYING)
