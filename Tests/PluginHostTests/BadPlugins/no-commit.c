// A function is missing that all must have.
#include "sound.h"
PLUGIN(table.commit = NULL)
