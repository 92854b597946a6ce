// The type claims to answer requests, but the table lacks the function for requests.
#include "sound.h"
PLUGIN(type.capabilities |= QUIRE_QUERYING)
