// A plug-in without faults.
#include "sound.h"
PLUGIN()
