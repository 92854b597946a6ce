// The table says that it is larger than any.
#include "sound.h"
PLUGIN(table.struct_size = 0x7FFFFFFF)
