// The table ends before its last function.
#include "sound.h"
PLUGIN(table.struct_size = offsetof(struct QuirePlugin, forget_logged))
