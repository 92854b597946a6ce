#include "quire.h"
