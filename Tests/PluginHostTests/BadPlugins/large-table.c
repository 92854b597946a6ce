// The table claims a size beyond the host's limit.
#include "sound.h"
PLUGIN(table.struct_size = 0x7FFFFFFF)
