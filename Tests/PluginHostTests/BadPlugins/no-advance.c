// The type claims to support confirmation, but the table lacks the function to confirm with.
#include "sound.h"
PLUGIN(type.capabilities |= QUIRE_CONFIRMATION)
