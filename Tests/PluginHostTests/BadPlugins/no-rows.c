// The table has no function that reads rows, neither as arrays nor as blocks.
#include "sound.h"
PLUGIN(table.rows = NULL)
