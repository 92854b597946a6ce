// The table ends with status, like a table from before the later members existed. Other bytes follow it in memory.
#include "sound.h"
PLUGIN(table.struct_size = offsetof(struct QuirePlugin, commits); table.commits = (void *)1; table.query = (void *)1)
