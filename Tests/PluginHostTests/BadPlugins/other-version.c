// The version differs from the version in the manifest.
#include "sound.h"
PLUGIN(table.version = "1.1")
