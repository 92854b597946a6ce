// The version is another than the manifest's.
#include "sound.h"
PLUGIN(table.version = "1.1")
