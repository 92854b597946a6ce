// The interface is of a later version.
#include "sound.h"
PLUGIN(table.abi_version = 7)
