// The table has a later version of the interface.
#include "sound.h"
PLUGIN(table.abi_version = 7)
