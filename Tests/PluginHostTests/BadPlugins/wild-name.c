// The pointer to the name leads to no memory.
#include "sound.h"
PLUGIN(table.name = (const char *)8)
