// The type claims to keep a history, and the table has no function to read it.
#include "sound.h"
PLUGIN(type.capabilities |= QUIRE_HISTORY)
