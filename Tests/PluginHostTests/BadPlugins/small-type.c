// The type ends before its last member.
#include "sound.h"
PLUGIN(type.struct_size = offsetof(struct QuireStoreType, context))
