// The name is another than the manifest's.
#include "sound.h"
PLUGIN(table.name = "good")
