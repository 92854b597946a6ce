// The name of the type differs from the name in the manifest.
#include "sound.h"
PLUGIN(type.name = "Worse")
