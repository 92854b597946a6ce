// The library uses a function that no library defines.
#include "sound.h"
int nobody_has_this(void);
PLUGIN(table.type_count += nobody_has_this())
