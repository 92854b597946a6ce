#ifndef QUIRE_CLMDBPEER_SHIM_H
#define QUIRE_CLMDBPEER_SHIM_H

#include <lmdb.h>

#endif
