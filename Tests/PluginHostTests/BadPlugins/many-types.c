// The table claims more types than its list has.
#include "sound.h"
PLUGIN(table.type_count = 0xFFFFFFFF; table.types = NULL)
