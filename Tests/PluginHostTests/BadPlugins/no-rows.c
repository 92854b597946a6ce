// The table lacks both functions that read rows: as arrays, and as blocks.
#include "sound.h"
PLUGIN(table.rows = NULL)
