#include "quire_store_plugin.h"
