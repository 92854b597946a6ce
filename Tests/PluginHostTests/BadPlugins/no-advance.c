// The type can wait for a word, and nobody can give it.
#include "sound.h"
PLUGIN(type.capabilities |= QUIRE_CONFIRMATION)
