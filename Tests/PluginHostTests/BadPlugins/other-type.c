// The type is another than the manifest's.
#include "sound.h"
PLUGIN(type.name = "Worse")
