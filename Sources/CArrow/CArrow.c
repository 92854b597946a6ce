#include "CArrow.h"
