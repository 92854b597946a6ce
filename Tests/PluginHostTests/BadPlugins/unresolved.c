// A function is used that nobody has.
#include "sound.h"
int nobody_has_this(void);
PLUGIN(table.type_count += nobody_has_this())
