// The table ends before status.
#include "sound.h"
PLUGIN(table.struct_size = offsetof(struct QuirePlugin, status))
