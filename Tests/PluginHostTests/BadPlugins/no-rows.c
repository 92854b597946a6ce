// Nobody gives rows, neither as arrays nor as blocks.
#include "sound.h"
PLUGIN(table.rows = NULL)
