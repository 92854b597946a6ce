// The table lacks a function that every table must have.
#include "sound.h"
PLUGIN(table.commit = NULL)
