// The type claims to keep a history, but the table lacks the function to read it.
#include "sound.h"
PLUGIN(type.capabilities |= QUIRE_HISTORY)
