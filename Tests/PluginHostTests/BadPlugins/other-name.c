// The name of the plug-in differs from the name in the manifest.
#include "sound.h"
PLUGIN(table.name = "good")
