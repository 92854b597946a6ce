// There are more types than the list has.
#include "sound.h"
PLUGIN(table.type_count = 0xFFFFFFFF; table.types = NULL)
