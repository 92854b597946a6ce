// The address of the name is not mapped.
#include "sound.h"
PLUGIN(table.name = (const char *)8)
