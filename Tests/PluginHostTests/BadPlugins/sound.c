// Nothing is wrong.
#include "sound.h"
PLUGIN()
