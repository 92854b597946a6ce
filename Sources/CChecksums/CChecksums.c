#include "CChecksums.h"
