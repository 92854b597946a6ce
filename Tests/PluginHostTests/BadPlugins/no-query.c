// The type claims to answer requests, and the table has no function for requests.
#include "sound.h"
PLUGIN(type.capabilities |= QUIRE_QUERYING)
