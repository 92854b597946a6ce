// The name is nowhere.
#include "sound.h"
PLUGIN(table.name = (const char *)8)
