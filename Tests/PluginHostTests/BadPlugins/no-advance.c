// The type claims to support confirmation, and the table has no function to confirm with.
#include "sound.h"
PLUGIN(type.capabilities |= QUIRE_CONFIRMATION)
